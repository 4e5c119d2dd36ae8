# The service as a container. compose.yaml runs it with PostgreSQL; alone it keeps an embedded database in /data.

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
# TypeScript stays as a peer dependency of tRPC, which uses its types alone.
RUN npm run build && npm prune --omit=dev && rm -r node_modules/typescript && rm -f node_modules/.bin/tsc node_modules/.bin/tsserver

FROM node:24-slim
WORKDIR /app
COPY --from=build /app/package.json /app/openapi.json ./
# What the guides link to.
COPY --from=build /app/README.md /app/CHANGELOG.md /app/CONTRIBUTING.md /app/SECURITY.md /app/LICENSE /app/Dockerfile /app/compose.yaml ./
COPY --from=build /app/bin bin
COPY --from=build /app/dist dist
COPY --from=build /app/docs docs
COPY --from=build /app/examples examples
COPY --from=build /app/migrations migrations
COPY --from=build /app/node_modules node_modules
RUN mkdir /data && chown node:node /data
USER node
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Without a shell in between, so that SIGTERM reaches the service.
CMD ["node", "--enable-source-maps", "bin/work-board.cjs", "start"]
