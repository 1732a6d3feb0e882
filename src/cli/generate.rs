//! What packages carry beside the program, made from the very commands that are parsed: shell completions and the man page.

use std::io;

use clap::{Arg, Command, CommandFactory as _, Parser};
use clap_complete::Shell;
use clap_mangen::Man;

use super::{COMMANDS, ServeArgs};

/// Words for what is done without a command; the page need not say it twice.
const SERVING: [&str; 2] = ["serve", "mcp"];

/// The title, and what clap_mangen means by `Aq`: an apostrophe that no printer turns into a quotation mark.
const HEADER: &str = concat!(
    ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n",
    ".TH filewright 1 \"\" \"filewright ",
    env!("CARGO_PKG_VERSION"),
    "\" \"User Commands\"\n",
);

const COMMANDS_HEADING: &str = "\
.SH COMMANDS
A command is the first argument; a directory of that name is written
.BR ./ NAME.
Options that serve as well are not repeated here.
";

/// Prints what a shell needs to complete the command line.
#[derive(Debug, Parser)]
#[command(name = "filewright completions", hide = true)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_parser = clap::builder::EnumValueParser::<Shell>::new())]
    shell: Shell,
}

/// Prints the man page.
#[derive(Debug, Parser)]
#[command(name = "filewright man", hide = true)]
pub(super) struct ManArgs {}

/// What completes the command line in this shell.
pub(super) fn completions(args: &CompletionsArgs) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program(), "filewright", &mut script);
    script
}

/// The man page: serving first, as the program does without a command, then each command.
pub(super) fn man_page() -> Vec<u8> {
    // Writing into memory does not fail.
    render_page().unwrap_or_default().into_bytes()
}

fn render_page() -> io::Result<String> {
    let mut serve = ServeArgs::command();
    serve.build();
    let page = Man::new(serve.clone().after_help(notes(&serve)));
    let mut text = String::from(HEADER);
    text += &section(|it| page.render_name_section(it))?;
    text += &section(|it| page.render_synopsis_section(it))?;
    text += &section(|it| page.render_options_section(it))?;
    text += COMMANDS_HEADING;
    for command in program().get_subcommands() {
        if !SERVING.contains(&command.get_name()) {
            text += &command_part(command, &serve)?;
        }
    }
    text += &section(|it| page.render_extra_section(it))?.replace(".SH EXTRA", ".SH NOTES");
    Ok(text)
}

/// What the help says after the options; its first paragraph lists the commands, which the page describes.
fn notes(serve: &Command) -> String {
    let help = serve.get_after_help().map(ToString::to_string);
    let help = help.unwrap_or_default();
    help.split_once("\n\n")
        .map_or("", |(_, notes)| notes)
        .to_owned()
}

/// What the page says of one command: how it is called, what it does, and the options that only it has.
fn command_part(command: &Command, serve: &Command) -> io::Result<String> {
    let shared: Vec<&str> = serve
        .get_arguments()
        .map(|it| it.get_id().as_str())
        .collect();
    let own = |it: Arg| {
        let is_shared = !it.is_positional() && shared.contains(&it.get_id().as_str());
        it.hide(is_shared)
    };
    let name = format!("filewright {}", command.get_name());
    let part = Man::new(command.clone().bin_name(&*name).mut_args(own));
    let mut text = format!(".SS {}\n", command.get_name());
    text += body(&section(|it| part.render_synopsis_section(it))?);
    text += ".PP\n";
    text += body(&section(|it| part.render_description_section(it))?);
    text += body(&section(|it| part.render_options_section(it))?);
    Ok(text)
}

/// What comes after the heading.
fn body(section: &str) -> &str {
    section
        .split_once(".SH ")
        .and_then(|(_, it)| it.split_once('\n'))
        .map_or("", |(_, it)| it)
}

fn section(render: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> io::Result<String> {
    let mut bytes = Vec::new();
    render(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    // Each section comes with the same definitions in front.
    let start = text
        .find(".TH ")
        .or_else(|| text.find(".SH "))
        .unwrap_or_default();
    Ok(text[start..].to_owned())
}

/// The program as one command with the others in it; the hidden ones are left out.
fn program() -> Command {
    let commands = COMMANDS.map(|(word, command)| command().name(word).display_name(word));
    let mut program = ServeArgs::command()
        .args_conflicts_with_subcommands(true)
        .subcommands(commands.into_iter().filter(|it| !it.is_hide_set()));
    program.build();
    program
}
