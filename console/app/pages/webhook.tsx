import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { WebhookEndpoint, WebhookSecret } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { formatTypes } from "../api/event-words.ts";
import { useCan } from "../api/permissions.ts";
import { read, useRead } from "../api/query.ts";
import { reasonAgainstSending, describeHealth, webhookName } from "../api/webhook-rules.ts";
import { ActionButton, ConfirmButton } from "../components/confirm.tsx";
import { CopyIdMenu } from "../components/copy-id-menu.tsx";
import { LinkButton } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { EnvironmentLink, ProjectLink } from "../components/place-links.tsx";
import { Notice } from "../components/problem.tsx";
import { SecretOnce } from "../components/secret-once.tsx";
import { ReceiverStatus } from "../components/status.tsx";
import { useFollow } from "../live/use-live.tsx";
import { paths } from "../paths.ts";
import { Copyable } from "../ui/copy.tsx";
import { Facts, Row, Section, Stack } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";
import { Deliveries } from "./webhook-deliveries.tsx";
import { ReplayButton } from "./webhook-replay.tsx";
import { deleteWebhook, disableWebhook, enableWebhook } from "./webhook-writes.ts";

/** One webhook: its status, its deliveries and its secret. */
export function WebhookPage() {
  const { endpointId } = useParams({ from: "/shell/webhooks/$endpointId" });
  const reading = read("webhookEndpoints", "get", endpointId);
  const endpoint = useRead(reading);
  const { reason } = useCan("manage webhooks");
  useFollow(reading, (options) => slipway.webhookEndpoints.watch(endpointId, options));
  const health = describeHealth(endpoint);
  return (
    <Page
      title={webhookName(endpoint)}
      crumbs={[["Webhooks", paths.webhooks()]]}
      beside={<ReceiverStatus of={endpoint.status} isUsed={endpoint.isUsed} />}
      actions={
        <>
          <ActionButton
            label="Send a test"
            look="primary"
            disabledReason={reason ?? reasonAgainstSending(endpoint)}
            work={() => slipway.webhookEndpoints.ping(endpointId)}
            refreshes={["webhookEndpoints"]}
            said="A test is on its way."
          />
          <LinkButton to={paths.editWebhook(endpointId)}>Change</LinkButton>
          <EnableButton endpoint={endpoint} reason={reason} />
          <CopyIdMenu of="this webhook" id={endpointId} what="the webhook's id" />
        </>
      }
    >
      <Stack>
        {health === null ? null : (
          <Notice title={health} isBad={endpoint.status === "FAILING"}>
            {endpoint.failingSince === null ? null : (
              <p>
                The first failure was <When at={endpoint.failingSince} />.
              </p>
            )}
          </Notice>
        )}
        <EndpointFacts endpoint={endpoint} />
      </Stack>
      <Section title="Deliveries" actions={<ReplayButton endpoint={endpoint} reason={reason} />}>
        <Deliveries endpointId={endpointId} />
      </Section>
      <Secret endpoint={endpoint} reason={reason} />
      <Section title="Delete">
        <p>The receiver gets no further events, and the log of deliveries is deleted.</p>
        <Row>
          <DeleteButton endpoint={endpoint} reason={reason} />
        </Row>
      </Section>
    </Page>
  );
}

function EndpointFacts({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { url, types, projectId, environmentId, headerNames, maxPerSecond, createdAt, isReplaying } =
    endpoint;
  return (
    <Facts
      of={[
        ["Address", <Copyable text={url} what="the address" />],
        ["Events", formatTypes(types)],
        ["Project", projectId === null ? "All" : <ProjectLink id={projectId} />],
        ["Environment", environmentId === null ? null : <EnvironmentLink id={environmentId} />],
        ["Additional headers", headerNames.length === 0 ? null : headerNames.join(", ")],
        ["Rate", maxPerSecond === null ? null : `At most ${maxPerSecond} per second`],
        ["Replay", isReplaying ? "Running" : null],
        ["Added", <When at={createdAt} />],
      ]}
    />
  );
}

type Part = { readonly endpoint: WebhookEndpoint; readonly reason: string | null };

function EnableButton({ endpoint, reason }: Part) {
  if (endpoint.status !== "DISABLED") {
    const { question, ...write } = disableWebhook(endpoint);
    return <ConfirmButton {...question} {...write} label="Disable" look="normal" disabledReason={reason} />;
  }
  return <ActionButton {...enableWebhook(endpoint)} label="Enable" disabledReason={reason} />;
}

function Secret({ endpoint, reason }: Part) {
  const [secret, setSecret] = useState<WebhookSecret | null>(null);
  const { id, previousSecretUntil } = endpoint;
  return (
    <Section title="Secret">
      <p>
        Each request is signed with it. The receiver verifies the signature.
        {previousSecretUntil === null ? null : (
          <>
            {" "}
            The previous secret also signs. It expires <When at={previousSecretUntil} />.
          </>
        )}
      </p>
      <Row>
        <ConfirmButton
          label="Replace the secret"
          look="normal"
          disabledReason={reason}
          title="Replace the secret?"
          consequences={[
            "A new secret is shown once.",
            "The present secret also signs for 24 hours. Change the receiver in this time.",
          ]}
          action="Replace it"
          work={() => slipway.webhookEndpoints.rotateSecret(id, {})}
          refreshes={["webhookEndpoints"]}
          onDone={setSecret}
        />
        {previousSecretUntil === null ? null : (
          <ConfirmButton
            label="End the previous secret"
            disabledReason={reason}
            title="End the previous secret?"
            consequences={["A receiver that only knows the previous secret refuses all further requests."]}
            action="End it"
            work={() => slipway.webhookEndpoints.revokePreviousSecret(id)}
            refreshes={["webhookEndpoints"]}
          />
        )}
      </Row>
      {secret === null ? null : (
        <SecretOnce
          title="The new secret"
          what="the secret"
          secret={secret.secret}
          onDone={() => setSecret(null)}
        >
          <p>Give it to the receiver.</p>
        </SecretOnce>
      )}
    </Section>
  );
}

function DeleteButton({ endpoint, reason }: Part) {
  const navigate = useNavigate();
  const { question, ...write } = deleteWebhook(endpoint);
  return (
    <ConfirmButton
      {...question}
      {...write}
      label="Delete the webhook"
      disabledReason={reason}
      onDone={() => navigate({ to: paths.webhooks() })}
    />
  );
}
