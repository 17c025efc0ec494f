//! The gateway between browsers and tables.

use std::io::Write as _;
use std::net::SocketAddr;
use std::process::ExitCode;

use clap::Parser;
use taikyoku_web::Listener;

/// Serves the page.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Address and port of the page; any but a loopback address opens it to others.
    #[arg(long, default_value = "127.0.0.1:8080", value_name = "ADDR:PORT")]
    listen: SocketAddr,
}

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("taikyoku-web: {error}");
            ExitCode::FAILURE
        }
    }
}

#[tokio::main]
async fn run(arguments: &Arguments) -> std::io::Result<()> {
    let listener = Listener::bind(arguments.listen).await?;
    let address = listener.address()?;
    writeln!(std::io::stdout(), "the page is at http://{address}/")?;
    listener.run().await;
    Ok(())
}
