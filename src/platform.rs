//! What the operating system does differently from what Rust's standard library offers.
//!
//! The standard streams as plain bytes that wait where they would block, whether anybody still
//! reads stdout, and the console's code page on Windows.

use std::path::{Path, PathBuf};

pub(crate) use streams::{input, output, output_is_gone};

#[cfg(unix)]
mod streams {
    use std::io::{self, Read, Write};
    use std::os::fd::BorrowedFd;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;

    #[derive(Debug)]
    struct Stream(BorrowedFd<'static>);

    /// Stdin, without a buffer of its own.
    pub(crate) fn input() -> impl Read + Send + 'static {
        Stream(rustix::stdio::stdin())
    }

    /// Stdout, without a buffer of its own.
    pub(crate) fn output() -> impl Write + Send + 'static {
        Stream(rustix::stdio::stdout())
    }

    /// Whether stdout's other end has been closed.
    pub(crate) fn output_is_gone() -> bool {
        let stdout = rustix::stdio::stdout();
        let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
        let at_once = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let gone = PollFlags::ERR | PollFlags::HUP;
        poll(&mut watched, Some(&at_once)).is_ok() && watched[0].revents().intersects(gone)
    }

    impl Stream {
        /// Repeats what would block or was interrupted: both are waits, not failures.
        fn patiently<T>(
            &self,
            interest: PollFlags,
            mut operation: impl FnMut(BorrowedFd<'static>) -> Result<T, Errno>,
        ) -> io::Result<T> {
            loop {
                match operation(self.0) {
                    Err(Errno::INTR) => {}
                    Err(Errno::AGAIN) => {
                        let mut watched = [PollFd::new(&self.0, interest)];
                        match poll(&mut watched, None) {
                            Ok(_) | Err(Errno::INTR) => {}
                            Err(error) => return Err(error.into()),
                        }
                    }
                    outcome => return Ok(outcome?),
                }
            }
        }
    }

    impl Read for Stream {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.patiently(PollFlags::IN, |stream| {
                rustix::io::read(stream, &mut *buffer)
            })
        }
    }

    impl Write for Stream {
        fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
            self.patiently(PollFlags::OUT, |stream| rustix::io::write(stream, buffer))
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
}

#[cfg(windows)]
mod streams {
    use std::io::{self, Read, Write};

    /// Stdin; std reads a console as UTF-16 and gives UTF-8.
    pub(crate) fn input() -> impl Read + Send + 'static {
        io::stdin()
    }

    /// Stdout; nothing translates LF to CRLF.
    pub(crate) fn output() -> impl Write + Send + 'static {
        io::stdout()
    }

    /// Pipes tell that only to who writes.
    pub(crate) fn output_is_gone() -> bool {
        false
    }
}

/// Sets the console's code pages to UTF-8 for as long as it lives.
#[derive(Debug)]
pub(crate) struct Utf8Console {
    #[cfg(windows)]
    before: (u32, u32),
}

impl Utf8Console {
    /// Without a console (a pipe, a hidden start) there is nothing to set, and that is no failure.
    #[cfg(windows)]
    #[expect(
        unsafe_code,
        reason = "the console's code page is set by plain system calls"
    )]
    pub(crate) fn set() -> Utf8Console {
        use windows_sys::Win32::System::Console as console;
        const UTF8: u32 = 65001;
        // SAFETY: these take and return plain numbers.
        unsafe {
            let before = (console::GetConsoleCP(), console::GetConsoleOutputCP());
            console::SetConsoleCP(UTF8);
            console::SetConsoleOutputCP(UTF8);
            Utf8Console { before }
        }
    }

    /// Only Windows has code pages.
    #[cfg(not(windows))]
    pub(crate) fn set() -> Utf8Console {
        Utf8Console {}
    }
}

#[cfg(windows)]
impl Drop for Utf8Console {
    #[expect(
        unsafe_code,
        reason = "the console's code page is set by plain system calls"
    )]
    fn drop(&mut self) {
        use windows_sys::Win32::System::Console as console;
        let (input, output) = self.before;
        if input != 0 {
            // SAFETY: these take and return plain numbers.
            unsafe {
                console::SetConsoleCP(input);
                console::SetConsoleOutputCP(output);
            }
        }
    }
}

/// Whether a directory is where graphical hosts start servers, or would expose everything. Such a
/// working directory says nothing of what the user wants to share.
pub(crate) fn is_unsuitable_default(directory: &Path, home: Option<&Path>) -> bool {
    let own = std::env::current_exe()
        .ok()
        .and_then(|it| it.parent().map(Path::to_owned));
    let whole = directory.parent().is_none();
    let exactly = [home.map(Path::to_owned), own].into_iter().flatten();
    let below = ["/usr", "/System", "/Applications"]
        .map(PathBuf::from)
        .into_iter()
        .chain(
            [
                "SystemRoot",
                "ProgramFiles",
                "ProgramFiles(x86)",
                "LOCALAPPDATA",
            ]
            .into_iter()
            .filter_map(|it| std::env::var_os(it).map(PathBuf::from)),
        );
    whole
        || exactly.into_iter().any(|it| it == directory)
        || below
            .into_iter()
            .any(|it| !it.as_os_str().is_empty() && directory.starts_with(it))
}
