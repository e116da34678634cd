import type { SshKeyFacts, SshKeys } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import { fairSlots } from "./costly-work/fair-slots.ts";
import { readEnvelope } from "./ssh-keys/ssh-key-envelope.ts";
import { createSshKeyWorkers } from "./ssh-keys/ssh-key-workers.ts";

/** Options of the reader of SSH keys. */
export interface NodeSshKeysOptions {
  /** The most encrypted keys opened at once, and the most others read beside them; half of them for one share. @default 2 */
  readonly atOnce?: number;
  /** How long a key waits while none of its share is being opened; then it is refused as `Unavailable`. @default 15000 */
  readonly waitMs?: number;
  /**
   * A key that takes longer is refused as `Unavailable`: one with 256 rounds takes some seconds, and many more on a slow, busy machine.
   * @default 120000
   */
  readonly timeoutMs?: number;
}

/**
 * Reads SSH private keys in separate threads. Opening encrypted keys is slow: only a few are opened at once, in fair turns, and no longer
 * than somebody waits. Unencrypted keys don't wait for them.
 */
export function nodeSshKeys({ atOnce = 2, waitMs, timeoutMs = 120_000 }: NodeSshKeysOptions = {}): SshKeys {
  const workers = createSshKeyWorkers({ timeoutMs });
  const lane = () => fairSlots({ atOnce, ...(waitMs !== undefined && { waitMs }) });
  const [plain, locked] = [lane(), lane()];
  return {
    async inspect(privateKey, passphrase, work = {}): Promise<SshKeyFacts> {
      const { format, encrypted, text } = readEnvelope(privateKey);
      if (encrypted && (passphrase === null || passphrase === ""))
        throw new LiveplaneError("SshPassphraseRequired", "The key is encrypted. Send its passphrase too.");
      const key = { format, encrypted, text, passphrase };
      const reading = await (encrypted ? locked : plain)(() => workers.read(key, work.signal), work);
      if (!reading.ok) throw new LiveplaneError(reading.code, reading.detail);
      const { ok: _ok, ...facts } = reading;
      return { ...facts, hasPassphrase: encrypted };
    },
  };
}
