import type { Api } from "@liveplane/client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useWorkplace } from "../app/workplace.ts";
import { ActionForm } from "../parts/action.tsx";
import { Instant } from "../parts/instant.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { TextField } from "../parts/text-field.tsx";
import { environmentTexts } from "../texts/environment-texts.ts";
import type { EnvironmentPlace } from "./environment-place.ts";

const words = environmentTexts.device;

type Device = Awaited<ReturnType<Api["environments"]["providerA"]["authentication"]>>;

/** Signs a person in to the cloud by another device: shows a code to enter there, and polls. */
export function DeviceSignIn({ place }: { readonly place: EnvironmentPlace }) {
  const { api } = useWorkplace();
  const device = useSignal<Device | null>(null);
  const error = useSignal<unknown>(null);
  const isPending = device.value?.status === "Pending";
  const seconds = Math.max(2, device.value?.intervalSeconds ?? 0);
  useEffect(() => {
    if (!isPending) return;
    const look = () =>
      api.environments.providerA.authentication(place).then(
        (seen) => {
          device.value = seen;
        },
        (failed: unknown) => {
          error.value = failed;
        },
      );
    const timer = setInterval(() => void look(), seconds * 1000);
    return () => clearInterval(timer);
  }, [isPending, seconds, api, place, device, error]);
  return (
    <details>
      <summary>{words.title}</summary>
      <ActionForm
        label={words.begin}
        done={null}
        act={async (field) => {
          const tenantId = field("tenantId");
          error.value = null;
          device.value = await api.environments.providerA.authenticate(place, tenantId === "" ? {} : { tenantId });
        }}
      >
        <TextField name="tenantId" label={words.tenant} hint="common" />
      </ActionForm>
      {device.value !== null && <DeviceCode device={device.value} />}
      <FailureNotice error={error.value} />
    </details>
  );
}

function DeviceCode({ device: { userCode, verificationUri, status, expiresAt } }: { readonly device: Device }) {
  const isSimulated = useWorkplace().clouds.kind === "simulated";
  return (
    <div role="status" class="notice">
      <p>{words.statuses[status]}</p>
      {status === "Pending" && userCode !== null && (
        <>
          <p class="code">{userCode}</p>
          <p>
            {isSimulated ? words.simulated : <TypedAt address={verificationUri ?? ""} />} {words.until}{" "}
            <Instant at={expiresAt} />
          </p>
        </>
      )}
    </div>
  );
}

function TypedAt({ address }: { readonly address: string }) {
  const isLink = address.startsWith("https://");
  return (
    <>
      {words.typeIt}{" "}
      {isLink ? (
        <a href={address} target="_blank" rel="noreferrer">
          {address}
        </a>
      ) : (
        address
      )}
      .
    </>
  );
}
