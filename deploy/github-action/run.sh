#!/usr/bin/env bash
# Plans or deploys a declaration, and says what came of it in the job's log and summary.
set -euo pipefail
case "$COMMAND" in
  plan) line=(plan -f "$FILE") ;;
  deploy) line=(deploy -f "$FILE" --wait) ;;
  *)
    echo "command is plan or deploy." >&2
    exit 2
    ;;
esac

code=0
npx --yes --package "@liveplane/client@$VERSION" liveplane "${line[@]}" >"$RUNNER_TEMP/liveplane.txt" 2>&1 || code=$?

# Values from a cloud stand in what is said: the runner takes none of it for a command, nor the page for markup.
stop=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$stop"
cat "$RUNNER_TEMP/liveplane.txt"
echo "::$stop::"
{
  echo "### liveplane $COMMAND of $FILE"
  echo
  head -c 60000 "$RUNNER_TEMP/liveplane.txt" | sed 's/^/    /'
} >"$RUNNER_TEMP/liveplane.md"
cat "$RUNNER_TEMP/liveplane.md" >>"$GITHUB_STEP_SUMMARY"
exit "$code"
