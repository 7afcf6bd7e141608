/**
 * OpenTelemetry's SDK behind `lib/tracing.ts`. Nothing is patched: spans are made where the program passes by anyway.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import {
  ROOT_CONTEXT,
  type Span,
  SpanKind as Kind,
  SpanStatusCode,
  trace as api,
  TraceFlags,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Config } from "../config/config.ts";
import type { OpenSpan, RootSpan, SpanFacts, SpanKind, Tracing } from "../../lib/tracing.ts";

export type OpenTracing = Tracing & {
  /** The same as `root`, for work that says its own end. Null if it is not sampled. */
  readonly beginRoot: (options: RootSpan) => RootOfRequest | null;
  /** Sends what is left, for a moment at most. */
  close(): Promise<void>;
};

export type RootOfRequest = {
  readonly run: <T>(work: () => T) => T;
  readonly end: (name: string, facts: SpanFacts, isFailed: boolean) => void;
};

/** Spans that are not sent by then are lost: an unavailable collector must not delay a stop. */
const CLOSE_MS = 2_000;
/** How long after its begin a trace takes in later work: beyond, a domain's daily checks would be in it for ever. */
const TRACE_SECONDS = 24 * 3_600;
/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:;(\d{1,12}))?$/;

const KINDS: Readonly<Record<SpanKind, Kind>> = {
  internal: Kind.INTERNAL,
  server: Kind.SERVER,
  client: Kind.CLIENT,
  consumer: Kind.CONSUMER,
};

type Current = { readonly span: Span; readonly beganAtSeconds: number };

export function openTracing(
  { url, ratio, serviceName }: NonNullable<Config["tracing"]>,
  instanceId: string,
): OpenTracing {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": serviceName, "service.instance.id": instanceId }),
    // Whether a trace is sampled is decided here, before anything of it is made.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
  });
  const tracer = provider.getTracer("slipway");
  const running = new AsyncLocalStorage<Current>();

  const beginBelow = (current: Current, name: string, kind: SpanKind): Span =>
    tracer.startSpan(name, { kind: KINDS[kind] }, api.setSpan(ROOT_CONTEXT, current.span));

  /** Null if the trace is not sampled. */
  function beginTrace({ name, kind, trace, facts }: RootSpan): Current | null {
    const parent = readTrace(trace);
    if (parent === null ? Math.random() >= ratio : !parent.isSampled) return null;
    const below =
      parent === null
        ? ROOT_CONTEXT
        : api.setSpanContext(ROOT_CONTEXT, { ...parent.context, isRemote: true });
    const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: facts }, below);
    return { span, beganAtSeconds: parent?.beganAtSeconds ?? nowSeconds() };
  }

  async function runIn<T>(current: Current, work: () => Promise<T>): Promise<T> {
    try {
      const result = await running.run(current, work);
      current.span.end();
      return result;
    } catch (error) {
      fail(current.span, error);
      throw error;
    }
  }

  return {
    isTraced: () => running.getStore() !== undefined,
    async within(name, kind, work) {
      const current = running.getStore();
      if (current === undefined) return await work();
      return await runIn({ ...current, span: beginBelow(current, name, kind) }, work);
    },
    begin(name, kind): OpenSpan | null {
      const current = running.getStore();
      if (current === undefined) return null;
      const span = beginBelow(current, name, kind);
      return { end: (error) => (error === undefined ? span.end() : fail(span, error)) };
    },
    async root(options, work) {
      const current = beginTrace(options);
      // Out of the trace that happens to be the caller's.
      if (current === null) return await running.exit(work);
      return await runIn(current, work);
    },
    beginRoot(options) {
      const current = beginTrace(options);
      if (current === null) return null;
      return {
        run: (work) => running.run(current, work),
        end(name, facts, isFailed) {
          current.span.updateName(name).setAttributes(facts);
          if (isFailed) current.span.setStatus({ code: SpanStatusCode.ERROR });
          current.span.end();
        },
      };
    },
    currentTrace() {
      const current = running.getStore();
      if (current === undefined) return null;
      const { traceId, spanId } = current.span.spanContext();
      return `00-${traceId}-${spanId}-01;${current.beganAtSeconds}`;
    },
    async close() {
      const closed = provider.shutdown().catch(() => undefined);
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, CLOSE_MS);
      await Promise.race([closed, promise]);
      clearTimeout(timer);
    },
  };
}

/** Null if the text is not a trace, or if the trace began more than `TRACE_SECONDS` ago. */
function readTrace(text: string | null) {
  const [, traceId, spanId, flags, began] = TRACEPARENT.exec(text ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  const beganAtSeconds = began === undefined ? nowSeconds() : Number(began);
  if (nowSeconds() - beganAtSeconds > TRACE_SECONDS) return null;
  const isSampled = (Number.parseInt(flags, 16) & TraceFlags.SAMPLED) !== 0;
  return { context: { traceId, spanId, traceFlags: TraceFlags.SAMPLED }, isSampled, beganAtSeconds };
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

/** Its class and code. Never its message: it may quote what a client or a provider wrote. */
function fail(span: Span, error: unknown): void {
  if (error instanceof Error) {
    const code =
      "code" in error && typeof error.code === "string" ? { "slipway.error.code": error.code } : {};
    span.setAttributes({ "error.type": error.name, ...code });
  }
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
