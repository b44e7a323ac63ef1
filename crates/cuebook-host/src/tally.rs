//! How many of something there are, of each tenant and in all, and whether there may be one more.
//!
//! It owns the count and its two bounds. What is said to whoever meets one is the caller's.

use std::collections::HashMap;

/// Things counted by tenant.
#[derive(Debug, Default)]
pub struct Tally {
    by_tenant: HashMap<String, usize>,
    total: usize,
}

/// How many there may be before new ones are refused.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Of all tenants.
    pub host: usize,
    /// Of one tenant.
    pub tenant: usize,
}

/// Who has as many as there may be, and how many that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// The host as a whole.
    Host(usize),
    /// The tenant.
    Tenant(usize),
}

impl Tally {
    /// Whether a tenant may have one more; the host's bound is looked at first.
    ///
    /// # Errors
    ///
    /// The bound that is met.
    pub fn check(&self, tenant: &str, bounds: Bounds) -> Result<(), Full> {
        if self.total >= bounds.host {
            return Err(Full::Host(bounds.host));
        }
        let of_tenant = self.by_tenant.get(tenant).copied().unwrap_or(0);
        if of_tenant >= bounds.tenant { Err(Full::Tenant(bounds.tenant)) } else { Ok(()) }
    }

    /// Counts one more.
    pub fn enter(&mut self, tenant: &str) {
        *self.by_tenant.entry(tenant.to_owned()).or_default() += 1;
        self.total += 1;
    }

    /// Counts one less; of a tenant that has none nothing changes.
    pub fn leave(&mut self, tenant: &str) {
        let Some(count) = self.by_tenant.get_mut(tenant) else { return };
        *count -= 1;
        self.total -= 1;
        if *count == 0 {
            self.by_tenant.remove(tenant);
        }
    }
}
