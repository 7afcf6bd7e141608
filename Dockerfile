# syntax=docker/dockerfile:1
# The image of Slipway: Node, the program and its packages on an empty root. No shell, no package manager, no user but
# one with a number. The same file builds for linux/amd64 and linux/arm64.
# The base gives npm and the C library. Name it by its digest to build the same image again:
#   --build-arg NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
# Packages first: they change less often than the program.
COPY package.json package-lock.json .npmrc ./
COPY sdk/package.json sdk/package.json
COPY cli/package.json cli/package.json
COPY edge/package.json edge/package.json
COPY sandbox/package.json sandbox/package.json
# No package runs a script of its own here.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run package \
 && npm sbom --omit=dev --workspaces=false --sbom-format=cyclonedx > /tmp/sbom.cdx.json
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
# The exact Node is the one that package-lock.json has by its hash. It needs these libraries, and a folder for itself.
RUN root=/rootfs; app=$root/app; node=$(readlink -f node_modules/node-linux-*/bin/node); \
    mkdir -p "$app" "$root/usr/local/bin" "$root/etc" "$root/tmp" "$root/var/lib/slipway"; \
    cp "$node" "$root/usr/local/bin/node"; \
    ldd "$node" | grep -o '/[^ ]*' | while read -r library; do cp --parents -L "$library" "$root"; done; \
    cp -r dist/. deploy/image/check-health.js "$app"; mkdir -p "$app/node_modules/@electric-sql"; \
    cp -r node_modules/@electric-sql/pglite "$app/node_modules/@electric-sql"; \
    cp /tmp/sbom.cdx.json "$app/sbom.cdx.json"; \
    echo 'slipway:x:10001:10001::/var/lib/slipway:/nonexistent' > "$root/etc/passwd"; \
    echo 'slipway:x:10001:' > "$root/etc/group"; \
    echo 'hosts: files dns' > "$root/etc/nsswitch.conf"; \
    chmod 1777 "$root/tmp"; chmod -R go-w,a+rX "$app"; chown 10001:10001 "$root/var/lib/slipway"; \
    chmod 0700 "$root/var/lib/slipway"

FROM scratch
COPY --from=build /rootfs/ /
WORKDIR /app
# Commands of repositories need a shell and programs, which the image does not have.
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    SLIPWAY_DATA_DIR=/var/lib/slipway \
    SLIPWAY_SANDBOX_PROCESSES=off
USER 10001:10001
VOLUME ["/var/lib/slipway"]
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["/usr/local/bin/node", "/app/check-health.js"]
ENTRYPOINT ["/usr/local/bin/node", "/app/bin/slipway.js"]
CMD ["start"]
LABEL org.opencontainers.image.title="Slipway" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.description="A control plane for deploying onto a customer's own cloud account"
