/**
 * Variables that make other programs run, load other code, or send data elsewhere: those that sudo and glibc refuse, and the equivalents of
 * common runtimes.
 */
const dangerous = [
  // Search paths for programs and libraries.
  "PATH PATHEXT COMSPEC SHELL HOME USERPROFILE APPDATA LOCALAPPDATA XDG_* TMPDIR LD_* _RLD* LDR_* DYLD_* LIBPATH SHLIB_PATH",
  "GCONV_PATH GETCONF_DIR GLIBC_TUNABLES HOSTALIASES LOCALDOMAIN LOCPATH MALLOC_* NIS_PATH NLSPATH PATH_LOCALE RESOLV_HOST_CONF",
  "RES_OPTIONS TERMCAP TERMINFO* TERMPATH TZDIR",
  // Shells.
  "ENV BASH_* BASHOPTS SHELLOPTS IFS CDPATH GLOBIGNORE PROMPT_COMMAND PS0 PS1 PS2 PS4 ZDOTDIR FPATH NULLCMD READNULLCMD PSMODULEPATH",
  // Runtimes and what builds for them.
  "NODE_OPTIONS NODE_PATH NODE_COMPILE_CACHE NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NODE_REPL_EXTERNAL_MODULE ELECTRON_*",
  "NPM_CONFIG_* PNPM_CONFIG_* YARN_PLUGINS YARN_RC_FILENAME YARN_YARN_PATH BUN_OPTIONS DENO_DIR PYTHON* PERL5* PERLLIB PERLIO_DEBUG RUBYOPT RUBYLIB GEM_HOME GEM_PATH",
  "BUNDLE_GEMFILE PHPRC PHP_INI_SCAN_DIR LUA_* CLASSPATH JAVA_HOME JAVA_OPTS JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS",
  "MAVEN_ARGS MAVEN_OPTS GRADLE_OPTS GRADLE_USER_HOME DOTNET_* COMPLUS_* CORECLR_* COR_* GOENV GOFLAGS GOPATH GOROOT GOPROXY GOSUMDB",
  "GOTOOLCHAIN CARGO_HOME CARGO_BUILD_* RUSTC* RUSTDOC RUSTFLAGS CC CXX LD MAKEFILES MAKEFLAGS",
  // Programs that others start.
  "EDITOR VISUAL PAGER MANPAGER BROWSER LESS LESSOPEN LESSCLOSE GIT_* SSH_ASKPASS SUDO_ASKPASS RSYNC_RSH TAR_OPTIONS KUBECONFIG",
  // Trust and proxies.
  "HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR OPENSSL_* CURL_CA_BUNDLE CURL_HOME WGETRC",
  "REQUESTS_CA_BUNDLE AWS_CA_BUNDLE LIVEPLANE_URL",
].flatMap((line) => line.split(" "));

const isDangerous = (name: string) =>
  dangerous.some((one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : name === one));

/** The variable for a secret: `api-key` becomes `API_KEY`. */
export function variableOf(secret: string): string {
  return secret.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
}

/** Whether a secret may be set as a variable: one that changes how programs run must be allowed by name. */
export function mayBeSet(variable: string, allowed: readonly string[]): boolean {
  return !isDangerous(variable) || allowed.map(variableOf).includes(variable);
}
