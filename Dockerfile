# teamsheet in a container. Build it in a checkout after `npm ci`, or in the folder of the installed package: docker build --tag teamsheet .
# `teamsheet schedule print docker` and `schedule print kubernetes` print files that use it.
FROM node:24-slim AS program
WORKDIR /checkout
COPY . .
RUN mkdir program && npm pack --ignore-scripts && tar --extract --gzip --file teamsheet-*.tgz --strip-components 1 --directory program
WORKDIR /checkout/program
RUN if [ -f ../package-lock.json ]; then cp ../package-lock.json .; fi && npm install --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim
COPY --from=program /checkout/program /opt/teamsheet
WORKDIR /usr/local/bin
RUN ln -s ../../../opt/teamsheet/dist/cli/bin.cjs teamsheet
# XDG_STATE_HOME holds the lock of the account.
ENV NODE_ENV=production XDG_STATE_HOME=/tmp
WORKDIR /league
USER node
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["node", "-e", "fetch('http://127.0.0.1:8791/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["teamsheet", "schedule", "run", "--probe", "127.0.0.1:8791", "--no-color", "--no-progress"]
