import { addressOf, type Engine, HOST, MAX_CLIENTS, referTo } from "./engine.ts";
import { findPostgres, type Program } from "./programs.ts";

const USER = "slipway";
const DATABASE = "app";

/** `--single` needs no running server. A copy of a server that was killed has its lock. */
const INITIALIZE = `set -e
umask 077
printf '%s\\n' "$SLIPWAY_STORE_PASSWORD" | "$SLIPWAY_STORE_BIN/initdb" -D data -U ${USER} -A scram-sha-256 --pwfile=/dev/stdin -E UTF8 --locale=C >/dev/null
printf 'CREATE DATABASE ${DATABASE};\\n' | "$SLIPWAY_STORE_BIN/postgres" --single -D data postgres >/dev/null`;
const ADOPT = `set -e
umask 077
chmod 700 data
rm -f data/postmaster.pid
printf "ALTER USER ${USER} PASSWORD '%s';\\n" "$SLIPWAY_STORE_PASSWORD" | "$SLIPWAY_STORE_BIN/postgres" --single -D data postgres >/dev/null`;

const envOf = ({ at }: Program, password: string) => ({
  SLIPWAY_STORE_PASSWORD: password,
  SLIPWAY_STORE_BIN: at,
});

export const POSTGRES: Engine = {
  title: "PostgreSQL",
  find: findPostgres,
  packageOf: (version) => (version === undefined ? "postgresql" : `postgresql-${version}`),
  initialize: (program, password) => ({ script: INITIALIZE, env: envOf(program, password) }),
  adopt: (program, password) => ({ script: ADOPT, env: envOf(program, password) }),
  /**
   * SIGTERM waits until all clients have left; SIGINT ends their sessions. The number in the lock of a server that was
   * killed may be another process's.
   */
  serve: ({ at }, port) => `rm -f data/postmaster.pid
trap 'kill -INT "$server"' TERM
'${at}/postgres' -D data -c listen_addresses=${HOST} -c port=${port} -c unix_socket_directories= -c max_connections=${MAX_CLIENTS} &
server=$!
while kill -0 "$server" 2>/dev/null; do wait "$server"; code=$?; done
exit "$code"`,
  ready: "database system is ready to accept connections",
  proof: "PG_VERSION",
  valuesOf(port, reference) {
    const password = referTo(reference);
    return {
      ...addressOf(port),
      dbConnectionString: {
        kind: "joined",
        parts: [`postgresql://${USER}:`, password, `@${HOST}:${port}/${DATABASE}`],
      },
      dbName: { kind: "plainText", value: DATABASE },
      username: { kind: "plainText", value: USER },
      password,
    };
  },
};
