import { err, ok } from '../core/values/result.ts'
import type { Result } from '../core/values/result.ts'

/** Where the fleet's store is, and as whom to speak to it. */
export interface StoreAddress {
  /** A name or address; where it begins with a slash, the folder of a socket on this machine. */
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password: string | null
  /** Whether the connection is encrypted and the server's name proven; else it stays on this machine. */
  readonly isVerified: boolean
  /** The file of the certificates that prove the server; null: those that Node trusts. */
  readonly rootCertFile: string | null
}

const shape =
  /^postgres(?:ql)?:\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?(\[[^\]]*\]|[^:/?#]*)(?::(\d{1,5}))?\/([^?#]*)(?:\?([^#]*))?$/
const usualPort = 5_432
const wanted = 'postgresql://USER:PASSWORD@HOST:5432/DATABASE?sslmode=verify-full'

/**
 * Reads a libpq URL. Beyond this machine it must say `sslmode=verify-full`: whoever stands between
 * could answer in the store's place. Nothing of the text is repeated in a refusal, it has a password.
 */
export function parseStoreUrl(text: string): Result<StoreAddress> {
  const found = shape.exec(text.trim())
  if (found === null) return err(`must be one URL such as ${wanted}`)
  const parts = found.slice(1).map((part: string | undefined) => decoded(part ?? ''))
  if (parts.includes(null)) return err('has a % that is no percent-encoding')
  const [user = '', password = '', named = '', port = '', database = ''] = parts as string[]
  const settings = settingsIn(found[6] ?? '')
  if (!settings.ok) return settings
  const host = settings.value.get('host') ?? named.replace(/^\[(.*)\]$/, '$1')
  const portText = settings.value.get('port') ?? (port === '' ? String(usualPort) : port)
  const portNumber = /^\d{1,5}$/.test(portText) ? Number(portText) : 0
  if (host === '') return err('must name a host, or the folder of a socket: ?host=/run/postgresql')
  if (host.includes(',')) return err('names several hosts; one name that moves is needed instead')
  if (portNumber < 1 || portNumber > 65_535) return err('has a port that is not from 1 to 65535')
  if (user === '') return err(`must name a user: ${wanted}`)
  if (database === '' || database.includes('/')) return err(`must name one database: ${wanted}`)
  const isVerified = settings.value.get('sslmode') === 'verify-full'
  if (!isVerified && !isHere(host)) {
    return err(
      'must say sslmode=verify-full: the store is not on this machine, and nobody else may answer for it',
    )
  }
  const rootCert = settings.value.get('sslrootcert')
  return ok({
    ...{ host, port: portNumber, database, user, isVerified },
    password: password === '' ? null : password,
    rootCertFile: rootCert === undefined || rootCert === 'system' ? null : rootCert,
  })
}

/** The URL of the same database for another user. */
export function writeStoreUrl(address: StoreAddress, user: string, password: string): string {
  const { host, port, database, isVerified, rootCertFile } = address
  const settings = new URLSearchParams()
  if (host.startsWith('/')) settings.set('host', host)
  if (host.startsWith('/')) settings.set('port', String(port))
  if (isVerified) settings.set('sslmode', 'verify-full')
  if (rootCertFile !== null) settings.set('sslrootcert', rootCertFile)
  const place = host.startsWith('/') ? '' : `${host.includes(':') ? `[${host}]` : host}:${port}`
  const tail = settings.size === 0 ? '' : `?${settings.toString()}`
  const who = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`
  return `postgresql://${who}@${place}/${encodeURIComponent(database)}${tail}`
}

/** In words for a person, without the password. */
export function placeOf({ host, port, database }: StoreAddress): string {
  return `${database} at ${host.startsWith('/') ? host : `${host}:${port}`}`
}

function isHere(host: string): boolean {
  return (
    host.startsWith('/') ||
    host === 'localhost' ||
    host === '::1' ||
    /^127(?:\.\d{1,3}){3}$/.test(host)
  )
}

const known = ['host', 'port', 'sslmode', 'sslrootcert'] as const
const sslModes = ['verify-full', 'disable', 'prefer', 'allow', 'require', 'verify-ca']

function settingsIn(text: string): Result<ReadonlyMap<string, string>> {
  const settings = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (!(known as readonly string[]).includes(name)) {
      return err(`has the setting ${name}; those that Guard knows are ${known.join(', ')}`)
    }
    settings.set(name, value)
  }
  const mode = settings.get('sslmode')
  if (mode !== undefined && !sslModes.includes(mode)) return err('has an sslmode that is none')
  if (mode !== undefined && !['verify-full', 'disable'].includes(mode)) {
    return err(
      'must say sslmode=verify-full, or sslmode=disable where the store is on this machine',
    )
  }
  return ok(settings)
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
