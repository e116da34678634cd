/** Packages with native parts are loaded from node_modules. */
export default { serverExternalPackages: ["@liveplane/adapters", "@node-rs/argon2", "better-sqlite3"] };
