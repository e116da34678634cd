#!/usr/bin/env bash
# Posts what run.sh wrote to the pull request: in the action's own comment about this file, or in a new one.
set -euo pipefail
marker="<!-- liveplane $COMMAND of $FILE at $LIVEPLANE_URL -->"
{
  echo "$marker"
  cat "$RUNNER_TEMP/liveplane.md"
} >"$RUNNER_TEMP/comment.md"

own=$(gh pr view "$PULL_REQUEST" --repo "$GITHUB_REPOSITORY" --json comments | node -e '
  const { comments } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
  const own = comments.find(({ viewerDidAuthor, body }) => viewerDidAuthor && body.startsWith(process.argv[1]));
  console.log(own?.url.split("#issuecomment-")[1] ?? "");
' "$marker")
if [ -z "$own" ]; then
  gh pr comment "$PULL_REQUEST" --repo "$GITHUB_REPOSITORY" --body-file "$RUNNER_TEMP/comment.md"
else
  gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$own" --field "body=@$RUNNER_TEMP/comment.md"
fi
