/** The paths outside of the API's resources: the index, health, version, OpenAPI, metrics and what looks inside. */

import type { RequestContext } from '../api/request-context.ts'
import { pathNotFound } from '../api/status-error.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { versionInfo } from '../config/version-info.ts'
import type { DiscoveryIndex } from '../handlers/discovery/discovery-index.ts'
import type { OpenApiHandler } from '../handlers/openapi/openapi-handler.ts'
import { checkReadRoute, type RouteTypes } from '../handlers/route.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { trimTrailing } from '../lib/trim-trailing.ts'
import type { HealthChecks } from '../telemetry/health.ts'

/** Answers a request whose path is its own. */
export type PathHandler = (context: RequestContext) => Awaitable<void>

export interface PathOptions {
  readonly options: ServerOptions
  readonly health: HealthChecks
  readonly discovery: DiscoveryIndex
  readonly openApi: OpenApiHandler
  /** More paths, exact ones. The index lists them. */
  readonly more: ReadonlyMap<string, PathHandler>
  /** Paths that are read in one form only. The index lists them, and what is below them leads nowhere. */
  readonly routes: ReadonlyMap<string, Route>
  /** Paths that the index does not list. */
  readonly unlisted: ReadonlyMap<string, PathHandler>
}

export interface Route extends RouteTypes {
  readonly answer: PathHandler
}

const plain = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }
const json = { 'content-type': 'application/json' }
const jsonOnly: RouteTypes = { produces: ['application/json'], consumes: ['application/json'] }

export function nonResourcePaths(given: PathOptions): PathHandler {
  const { options, health, openApi, more, unlisted } = given
  const version = JSON.stringify(versionInfo(options), undefined, 2)
  const routes = new Map<string, Route>([
    ...given.routes,
    ['/version', { ...jsonOnly, answer: ({ exchange }) => exchange.respond(200, json, version) }],
  ])
  return async (context) => {
    const { exchange, info } = context
    const own = more.get(info.path) ?? unlisted.get(info.path)
    if (own !== undefined) return own(context)
    switch (info.path) {
      case '/':
      case '/index.html':
        exchange.respond(200, json, JSON.stringify({ paths: rootPaths(given) }, undefined, 2))
        return
    }
    for (const [path, route] of routes) {
      if (info.path === path || info.path.startsWith(`${path}/`)) return answerRoute(context, path, route)
    }
    if (await health.handle(context)) return
    if (await openApi(context)) return
    exchange.respond(404, plain, '404 page not found\n')
  }
}

function answerRoute(context: RequestContext, path: string, route: Route): Awaitable<void> {
  if (trimTrailing(context.info.path.slice(path.length), '/') !== '') throw pathNotFound()
  checkReadRoute(context, route)
  return route.answer(context)
}

function rootPaths({ discovery, health, more, routes }: PathOptions): string[] {
  const paths = new Set(['/api', '/apis', '/apis/', '/openapi/v2', '/openapi/v3', '/openapi/v3/', '/version'])
  for (const { name, versions } of discovery.groups()) {
    const root = name === '' ? '/api' : `/apis/${name}`
    paths.add(root)
    for (const { version } of versions) paths.add(`${root}/${version}`)
  }
  for (const path of health.paths()) paths.add(path)
  for (const path of more.keys()) paths.add(path)
  for (const path of routes.keys()) paths.add(path)
  return [...paths].sort()
}
