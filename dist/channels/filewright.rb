class Filewright < Formula
  desc "@DESCRIPTION@"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    url "@RELEASE@/filewright-@VERSION@-universal-apple-darwin.tar.gz"
    sha256 "@SHA256 filewright-@VERSION@-universal-apple-darwin.tar.gz@"
  end

  on_linux do
    on_intel do
      url "@RELEASE@/filewright-@VERSION@-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "@SHA256 filewright-@VERSION@-x86_64-unknown-linux-gnu.tar.gz@"
    end
    on_arm do
      url "@RELEASE@/filewright-@VERSION@-aarch64-unknown-linux-gnu.tar.gz"
      sha256 "@SHA256 filewright-@VERSION@-aarch64-unknown-linux-gnu.tar.gz@"
    end
  end

  def install
    bin.install "filewright"
    man1.install "doc/filewright.1"
    bash_completion.install "complete/filewright.bash" => "filewright"
    zsh_completion.install "complete/_filewright"
    fish_completion.install "complete/filewright.fish"
  end

  test do
    (testpath/"notes.txt").write "hello\n"
    assert_equal "hello\n", shell_output("#{bin}/filewright call read_file path=notes.txt --root #{testpath}")
  end
end
