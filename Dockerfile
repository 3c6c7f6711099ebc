# A server in a container. What it needs to be run, and how commands are confined in it: docs/operating.md.

FROM node:24-bookworm AS build
WORKDIR /src
COPY package.json package-lock.json tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY schema schema
COPY fixtures/lifecycle fixtures/lifecycle
COPY src src
# Installs what the lock file names, and builds.
RUN node scripts/setup.mjs && npm prune --omit=dev --no-audit --no-fund

FROM node:24-bookworm-slim
# bubblewrap confines commands, git tells of their folders, and tini reaps what they leave behind.
RUN apt-get update \
    && apt-get install -y --no-install-recommends bubblewrap ca-certificates git tini \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/package.json /opt/heddle/package.json
COPY --from=build /src/node_modules /opt/heddle/node_modules
COPY --from=build /src/dist /opt/heddle/dist
RUN ln -s /opt/heddle/dist/cli.js /usr/local/bin/heddle \
    && install -d -o node -g node -m 0700 /var/lib/heddle \
    && install -d -o node -g node /workspace
ENV HEDDLE_HOME=/var/lib/heddle
VOLUME ["/var/lib/heddle"]
WORKDIR /workspace
USER node
EXPOSE 4510
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s \
    CMD ["node", "-e", "fetch('http://127.0.0.1:4510/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "heddle"]
CMD ["serve", "--listen", "ws://0.0.0.0:4510", "--ws-auth", "capability-token", "--ws-token-file", "/run/secrets/heddle-token", "--log-level", "info"]
