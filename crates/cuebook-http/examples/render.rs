//! Measures renders over HTTP: `cargo run -p cuebook-http --example render --profile ci [RENDERS]`.
//!
//! Eight callers have a flat prompt of 4 KB with twelve variables rendered again and again. The floor is a bare handler in
//! the same server, which passes the same layers: it parses the same body, hashes the same texts and answers with the same
//! bytes, without key or composition. The two take turns, so that noise meets both.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use axum::extract::State;
use axum::response::IntoResponse;
use axum::routing::post;
use axum::{Json, Router};
use cuebook_host::prompt::{ContentHash, Principal, Trust};
use cuebook_host::wire::PromptTemplate;
use cuebook_host::{Host, Options, PromptWrite};
use cuebook_http::{App, HttpOptions, Key, Keys, router_with};
use serde_json::{Map, Value, json};

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// The allocator of the binary, for both.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const CALLERS: usize = 8;
const KEY: &str = "measuring-key";
const VARIABLES: usize = 12;
const BYTES: usize = 4096;
/// How many turns each has; the best counts.
const TURNS: usize = 5;

fn main() -> Outcome<()> {
    let renders: usize = std::env::args().nth(1).map_or(Ok(8_000), |renders| renders.parse())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let address = runtime.block_on(listen())?;
    let (ours, bare) = (request("/v1/prompts:render"), request("/floor"));
    if answer(address, &ours)? != answer(address, &bare)? {
        return Err("the two do not give the same bytes".into());
    }
    let (mut host, mut floor) = (0.0_f64, 0.0_f64);
    for _ in 0..TURNS {
        host = host.max(drive(address, &ours, renders)?);
        floor = floor.max(drive(address, &bare, renders)?);
    }
    writeln!(std::io::stdout(), "renders/s {host:.0}, floor/s {floor:.0}, ratio {:.2}", host / floor)?;
    runtime.shutdown_background();
    Ok(())
}

/// What the floor answers with, and the texts that it hashes before.
struct Floor {
    answer: Value,
    texts: Vec<String>,
}

/// The server with both; its address.
async fn listen() -> Outcome<SocketAddr> {
    let project = tempfile::tempdir()?;
    let config = "[prompts]\nobservability = \"full\"\n";
    std::fs::write(project.path().join("cuebook.toml"), config)?;
    let options = Options { root: project.path().to_owned(), ..Options::default() };
    let host = Arc::new(Host::open(&options).map_err(|problems| problems.to_string())?);
    let principal = Principal { tenant: "default".to_owned(), workspace: None };
    let write = PromptWrite { principal: &principal, ticket: None, condition: None };
    host.create_prompt(write, template()?).await.map_err(|refusal| refusal.message)?;
    let floor = Arc::new(floor(&host, &principal).await?);
    let keys = Keys::new(vec![Key::new("measuring", KEY, "default")]);
    let app = App::new(host, keys, HttpOptions::default());
    let bare = Router::new().route("/floor", post(bare)).with_state(floor);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, router_with(app, bare)).await });
    Ok(address)
}

async fn floor(host: &Host, principal: &Principal) -> Outcome<Floor> {
    let rendered = host.render(principal, "prompt:measured", values(), Trust::Trusted).await;
    let observed = rendered.map_err(|problems| problems.to_string())?.observed;
    let values = observed.variables.iter().map(|(_, bound)| bound.value.observed_text().into_owned());
    let texts = std::iter::once(observed.composed.clone()).chain(values).collect();
    let answer = json!({
        "hash": observed.hash, "refs": observed.refs, "variableHashes": observed.variables.hashes().collect::<BTreeMap<_, _>>(),
        "contentTrust": observed.wire_trust(), "composed": observed.composed,
    });
    Ok(Floor { answer, texts })
}

async fn bare(State(floor): State<Arc<Floor>>, Json(body): Json<Value>) -> impl IntoResponse {
    std::hint::black_box(&body);
    floor.texts.iter().for_each(|text| drop(std::hint::black_box(ContentHash::of(text))));
    Json(&floor.answer).into_response()
}

fn template() -> Outcome<PromptTemplate> {
    let filler = "Keep to the facts that the sources give, and say where each of them stands. ";
    let each = BYTES / VARIABLES - value(0).len();
    let paragraph = |at: usize| {
        let filler: String = filler.chars().cycle().take(each - 1).collect();
        format!("{filler}{{{{name_{at}}}}}\n")
    };
    let variable = |at: usize| json!({ "name": format!("name_{at}"), "type": "string", "required": true });
    Ok(serde_json::from_value(json!({
        "templateId": "measured", "version": "1.0.0", "kind": "user",
        "text": (0..VARIABLES).map(paragraph).collect::<String>(),
        "variables": (0..VARIABLES).map(variable).collect::<Vec<_>>(),
    }))?)
}

fn value(at: usize) -> String {
    format!("the value of number {at:02}")
}

fn values() -> Map<String, Value> {
    (0..VARIABLES).map(|at| (format!("name_{at}"), value(at).into())).collect()
}

/// The bytes of a request at `path` on a connection that stays open.
fn request(path: &str) -> Vec<u8> {
    let body = json!({ "ref": "prompt:measured", "variables": values() }).to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: measured\r\nAuthorization: Bearer {KEY}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body.as_bytes()].concat()
}

fn answer(address: SocketAddr, request: &[u8]) -> Outcome<Vec<u8>> {
    exchange(&mut BufReader::new(TcpStream::connect(address)?), request)
}

/// Sends a request and reads the body of its answer, which must be 200.
fn exchange(connection: &mut BufReader<TcpStream>, request: &[u8]) -> Outcome<Vec<u8>> {
    connection.get_mut().write_all(request)?;
    let (mut length, mut line) = (0, String::new());
    connection.read_line(&mut line)?;
    if !line.contains(" 200 ") {
        return Err(format!("the answer is {line}").into());
    }
    loop {
        line.clear();
        connection.read_line(&mut line)?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.parse()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body)?;
    Ok(body)
}

/// Has all callers send `renders` requests; gives answers a second.
fn drive(address: SocketAddr, request: &[u8], renders: usize) -> Outcome<f64> {
    let began = Instant::now();
    thread::scope(|scope| {
        let callers: Vec<_> =
            (0..CALLERS).map(|_| scope.spawn(|| call(address, request, renders / CALLERS))).collect();
        callers.into_iter().try_for_each(|caller| caller.join().map_err(|_| "a caller panicked")?)
    })?;
    Ok(f64::from(u32::try_from(renders)?) / began.elapsed().as_secs_f64())
}

fn call(address: SocketAddr, request: &[u8], times: usize) -> Outcome<()> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let mut connection = BufReader::new(stream);
    (0..times).try_for_each(|_| exchange(&mut connection, request).map(drop))
}
