const types = ["bench", "build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test"];

/** A subject fits in a line of `git log`; its sentence may begin with any letter, and the body is free. */
export default {
  extends: ["@commitlint/config-conventional"],
  rules: {
    "header-max-length": [2, "always", 72],
    "type-enum": [2, "always", types],
    "subject-case": [0],
    "body-max-line-length": [0],
    "footer-leading-blank": [0],
    "footer-max-line-length": [0],
  },
};
