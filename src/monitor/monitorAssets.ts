import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One file of the page, as the gateway serves it. */
export interface MonitorAsset {
  readonly type: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** Nothing from elsewhere, nothing inline, nothing framed: the page reads this Guard and no other. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const files = [
  ['/', 'index.html', 'text/html; charset=utf-8'],
  ['/monitor/page.js', 'page.js', 'text/javascript; charset=utf-8'],
  ['/monitor/page.css', 'page.css', 'text/css; charset=utf-8'],
  ['/monitor/icon.svg', 'icon.svg', 'image/svg+xml'],
] as const

const fleetFiles = [
  ['/', 'fleet.html', 'text/html; charset=utf-8'],
  ['/monitor/fleet.js', 'fleet.js', 'text/javascript; charset=utf-8'],
  ['/monitor/fleet.css', 'fleet.css', 'text/css; charset=utf-8'],
  ['/monitor/icon.svg', 'icon.svg', 'image/svg+xml'],
] as const

/** Reads the built page from `directory`; by path, whole, once. */
export function monitorAssets(directory: string): ReadonlyMap<string, MonitorAsset> {
  return assetsOf(directory, files)
}

/** The files of the fleet's page, by their paths. */
export function fleetAssets(directory: string): ReadonlyMap<string, MonitorAsset> {
  return assetsOf(directory, fleetFiles)
}

function assetsOf(
  directory: string,
  named: typeof files | typeof fleetFiles,
): ReadonlyMap<string, MonitorAsset> {
  return new Map(
    named.map(([path, file, type]) => {
      const headers = {
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
      }
      return [path, { type, body: readFileSync(join(directory, file), 'utf8'), headers }]
    }),
  )
}
