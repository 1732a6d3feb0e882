//! A server of one tool, as the Rust SDK's own documentation shows it.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::{ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router};
use serde::Deserialize;

#[derive(Deserialize, schemars::JsonSchema)]
struct Numbers {
    first: i64,
    second: i64,
}

#[derive(Clone)]
struct Demo;

#[tool_router]
impl Demo {
    #[tool(description = "Add two numbers.")]
    fn add(&self, Parameters(numbers): Parameters<Numbers>) -> String {
        (numbers.first + numbers.second).to_string()
    }
}

#[tool_handler]
impl ServerHandler for Demo {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Demo.serve(rmcp::transport::stdio()).await?;
    server.waiting().await?;
    Ok(())
}
