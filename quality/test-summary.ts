/** Prints the slowest test files and, on the last line, the result: `node quality/test-summary.ts report.json`. */
import { readFileSync } from "node:fs";
import { relative } from "node:path";

/** The parts of the runner's report that are read. */
interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly { readonly name: string; readonly startTime: number; readonly endTime: number }[];
}

const slowestFiles = 10;

/** The lines of a summary. */
export function summaryOf(report: TestReport, root: string): string[] {
  const { numPassedTests, numFailedTests, numPendingTests } = report;
  const files = report.testResults.map(({ name, startTime, endTime }) => ({ name, ms: endTime - startTime }));
  const slowest = files.toSorted((one, other) => other.ms - one.ms).slice(0, slowestFiles);
  const skipped = numPendingTests === 0 ? "" : `, ${numPendingTests} skipped`;
  return [
    "The slowest test files:",
    ...slowest.map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${relative(root, name)}`),
    `${numPassedTests} passed, ${numFailedTests} failed${skipped}`,
  ];
}

if (import.meta.main) {
  const report = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as TestReport;
  process.stdout.write(`${summaryOf(report, process.cwd()).join("\n")}\n`);
}
