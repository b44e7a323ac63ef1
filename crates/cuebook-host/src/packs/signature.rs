//! Ed25519 signatures over the manifest (RFC 8032), with the key and the signature as files of the pack.
//!
//! It refuses a signature that does not hold, one by a key that the host does not trust, and methods that it cannot
//! check. A signature speaks for the manifest alone; the hash of the pack speaks for all its files.

use std::fmt;

use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cuebook_wire::pack::SigningMethod;
use cuebook_wire::{ErrorCode, Fault, PackSigning};

use super::files::PackFiles;
use super::policy::PackPolicy;

/// The bytes before the key in its `SubjectPublicKeyInfo` (RFC 8410 §4).
const SPKI_PREFIX: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

const SIGNATURE_BYTES: usize = 64;

/// An Ed25519 public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// Reads a key from PEM, or from the base64 of its 32 bytes or of its `SubjectPublicKeyInfo`.
    pub fn parse(text: &str) -> Option<Self> {
        let lines = text.lines().map(str::trim).filter(|line| !line.starts_with("-----"));
        let bytes = STANDARD.decode(lines.collect::<String>()).ok()?;
        let key = bytes.strip_prefix(&SPKI_PREFIX).unwrap_or(&bytes);
        key.try_into().ok().map(Self)
    }

    fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0).verify(message, signature).is_ok()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&STANDARD.encode(self.0))
    }
}

/// The key whose signature over the file `manifest` holds; none when the pack has no signature and needs none.
///
/// # Errors
///
/// `pack_signature_invalid`, at the member of the manifest that is the reason.
pub(super) fn verify(
    files: &PackFiles,
    manifest: &str,
    signing: Option<&PackSigning>,
    policy: &PackPolicy,
) -> Result<Option<PublicKey>, Fault> {
    let Some(signing) = signing else {
        let needed = fault("", "the pack is not signed").hint("this host takes signed packs only");
        return if policy.require_signature { Err(needed) } else { Ok(None) };
    };
    if signing.method == Some(SigningMethod::Sigstore) {
        let message = "a Sigstore bundle cannot be checked here";
        return Err(fault("/signing/method", message).hint("sign with an Ed25519 key, method `manual`"));
    }
    let key = read_key(files, signing)?;
    let signature = read_signature(files, signing)?;
    if !key.verifies(files.get(manifest).unwrap_or_default(), &signature) {
        let message = format!("the signature does not hold for this {manifest}");
        return Err(fault("/signing/signatureRef", &message));
    }
    if !policy.trusts(key) {
        return Err(fault("/signing/publicKeyRef", &format!("the key {key} is not trusted by this host"))
            .hint("add it to trusted_keys under [packs] if its owner is who you think"));
    }
    Ok(Some(key))
}

fn read_key(files: &PackFiles, signing: &PackSigning) -> Result<PublicKey, Fault> {
    let (place, bytes) = named(files, "publicKeyRef", signing.public_key_ref.as_deref())?;
    let key = std::str::from_utf8(bytes).ok().and_then(PublicKey::parse);
    key.ok_or_else(|| fault(&place, "the file holds no Ed25519 public key in PEM"))
}

/// A signature as its 64 bytes, or as their base64.
fn read_signature(files: &PackFiles, signing: &PackSigning) -> Result<Vec<u8>, Fault> {
    let (place, bytes) = named(files, "signatureRef", signing.signature_ref.as_deref())?;
    let decoded = || STANDARD.decode(bytes.trim_ascii()).ok().filter(|it| it.len() == SIGNATURE_BYTES);
    let signature = if bytes.len() == SIGNATURE_BYTES { Some(bytes.to_vec()) } else { decoded() };
    signature.ok_or_else(|| fault(&place, "the file holds no Ed25519 signature of 64 bytes"))
}

/// The file that the member `key` of `signing` names, with the place of the member.
fn named<'a>(files: &'a PackFiles, key: &str, path: Option<&str>) -> Result<(String, &'a [u8]), Fault> {
    let place = format!("/signing/{key}");
    let path = path.ok_or_else(|| fault("/signing", &format!("'{key}' is missing")))?;
    let bytes = files.get(path).ok_or_else(|| fault(&place, &format!("the pack has no file '{path}'")))?;
    Ok((place, bytes))
}

fn fault(place: &str, message: &str) -> Fault {
    Fault::new(place, ErrorCode::PackSignatureInvalid, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAW: &str = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";

    #[track_caller]
    fn check(text: &str, expect: Option<&str>) {
        assert_eq!(PublicKey::parse(text).map(|key| key.to_string()).as_deref(), expect, "of {text:?}");
    }

    #[test]
    fn keys_are_read_in_each_form() {
        let spki = "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
        check(RAW, Some(RAW));
        check(spki, Some(RAW));
        check(&format!("-----BEGIN PUBLIC KEY-----\n{spki}\n-----END PUBLIC KEY-----\n"), Some(RAW));
        check("", None);
        check("AAAA", None);
        check("no base64", None);
    }

    /// The first test vector of RFC 8032 §7.1: an empty message.
    #[test]
    fn a_published_signature_holds() {
        let signature =
            "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc+bRr0lv18FlbviRlUUFDjnoQCw==";
        let signature = STANDARD.decode(signature).expect("base64");
        let key = PublicKey::parse(RAW).expect("a key");
        assert!(key.verifies(b"", &signature));
        assert!(!key.verifies(b"x", &signature));
    }
}
