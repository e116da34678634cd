import { useLoaded } from "../app/loaded.ts";
import type { ServerDoor } from "../app/server-door.ts";
import { ActionForm, type Field } from "../parts/action.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { operatorTexts } from "../texts/operator-texts.ts";

const words = operatorTexts.simulator;
const lateMs = 5000;
const slowMs = 60_000;

type Faults = Readonly<Record<string, unknown>>;

interface FaultFormProps {
  readonly provider: string;
  readonly door: ServerDoor;
}

/** Switches for the faults of a simulated cloud. */
export function SimulatedFaultForm({ provider, door }: FaultFormProps) {
  const path = `simulator/${provider}/faults`;
  const { loaded, reload } = useLoaded({
    key: path,
    load: async () => (await door.ask("GET", path)) as Faults,
  });
  const { value, error } = loaded.value;
  if (value === null) return <FailureNotice error={error} />;
  const set = async (faults: Faults) => {
    await door.ask("PUT", path, faults);
    await reload();
  };
  const isWell = Object.keys(value).length === 0;
  return (
    <details open={!isWell} key={JSON.stringify(value)}>
      <summary>
        {words.faults}
        {isWell ? "" : `: ${Object.keys(value).join(", ")}`}
      </summary>
      <ActionForm label={words.apply} act={(field) => set(faultsOf(field))}>
        {Object.entries(words.operations).map(([name, title]) => (
          <FaultSwitch key={name} name={name} title={title} choices={words.fault} value={nameOf(value[name])} />
        ))}
        <FaultSwitch name="slow" title={words.slow} choices={words.slowly} value={slownessOf(value.slow)} />
        <FaultSwitch
          name="initialize"
          title={words.initialize}
          choices={words.steps}
          value={nameOf((value.initialize as { fault?: unknown } | undefined)?.fault)}
        />
      </ActionForm>
      {!isWell && <ActionForm label={words.well} act={() => set({})} />}
    </details>
  );
}

interface SwitchProps {
  readonly name: string;
  readonly title: string;
  readonly choices: Readonly<Record<string, string>>;
  readonly value: string;
}

function FaultSwitch({ name, title, choices, value }: SwitchProps) {
  return (
    <label>
      {title}
      <select name={name}>
        {Object.entries(choices).map(([choice, text]) => (
          <option key={choice} value={choice} selected={choice === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The faults by the form's switches. */
function faultsOf(field: Field): Faults {
  const faults: Record<string, unknown> = {};
  for (const name of Object.keys(words.operations)) {
    const chosen = field(name);
    if (chosen !== "") faults[name] = chosen === "late" ? { delayMs: lateMs } : chosen;
  }
  const fails = { code: "QuotaExceeded", message: "The quota in this region is used up." };
  if (field("slow") !== "") faults.slow = { takesMs: slowMs, ...(field("slow") === "badly" && { fails }) };
  const step = field("initialize");
  if (step !== "") faults.initialize = { step: null, ...(step === "late" ? { delayMs: lateMs } : { fail: true }) };
  return faults;
}

function nameOf(fault: unknown): string {
  return typeof fault === "object" && fault !== null ? "late" : String(fault ?? "");
}

function slownessOf(slow: unknown): string {
  if (typeof slow !== "object" || slow === null) return "";
  return "fails" in slow ? "badly" : "well";
}
