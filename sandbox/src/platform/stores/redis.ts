/** Redis, or Valkey, which speaks the same protocol and keeps the same files. */
import { createHash } from "node:crypto";
import { addressOf, type Engine, HOST, MAX_CLIENTS, referTo } from "./engine.ts";
import { findRedis } from "./programs.ts";

/**
 * Commands that would end the server, its persistence or its password. ElastiCache refuses them too
 * (https://docs.aws.amazon.com/AmazonElastiCache/latest/dg/SupportedCommands.html).
 */
const REFUSED =
  "-acl|setuser -acl|deluser -acl|load -acl|save -bgrewriteaof -bgsave -config -debug -failover -migrate -module -psync -replicaof -save -shutdown -slaveof -sync";

/** The file has a hash of the password only. The password is random, so the hash does not reveal it. */
const CONFIGURE = `set -e
umask 077
mkdir -p data
printf 'user default on sanitize-payload ~* &* +@all ${REFUSED} #%s\\n' "$SLIPWAY_STORE_HASH" > data/redis.conf`;

/** A write is on the disk before its client gets the answer. */
const SETTINGS = `--bind ${HOST} --maxclients ${MAX_CLIENTS} --appendonly yes --appendfsync always --save ''`;

const configure: Engine["initialize"] = (_program, password) => ({
  script: CONFIGURE,
  env: { SLIPWAY_STORE_HASH: createHash("sha256").update(password).digest("hex") },
});

export const REDIS: Engine = {
  title: "Redis",
  find: findRedis,
  packageOf: (version) =>
    `redis-server or valkey-server${version === undefined ? "" : ` of version ${version}`}`,
  initialize: configure,
  adopt: configure,
  serve: ({ at }, port) => `cd data && exec '${at}' ./redis.conf --port ${port} ${SETTINGS}`,
  ready: "Ready to accept connections",
  proof: "appendonlydir/appendonly.aof.manifest",
  valuesOf(port, reference) {
    const password = referTo(reference);
    return {
      ...addressOf(port),
      // Some clients would log in with an empty name.
      connectionString: { kind: "joined", parts: ["redis://default:", password, `@${HOST}:${port}`] },
      authToken: password,
    };
  },
};
