/** What has parts that are no JavaScript is loaded from where it lies. */
export default { serverExternalPackages: ["@liveplane/adapters", "@node-rs/argon2", "better-sqlite3"] };
