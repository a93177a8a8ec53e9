import { hash as digest } from 'node:crypto'
import { isLoopback } from '../config/listenAddress.ts'
import type { GuardConfigFile } from '../config/readConfig.ts'
import type { Log } from '../engine/ports.ts'
import { claimOnHost } from '../system/hostClaim.ts'
import { refused } from './cliError.ts'

type Venue = Pick<GuardConfigFile['venue'], 'url' | 'network'>

/**
 * Takes account and API wallet for this Guard, on this machine: two that trade one account count
 * each other's orders as foreign, and two that share a wallet refuse each other's nonces. Paper mode
 * sends nothing and takes nothing. Returns how to let go.
 */
export async function claimAccount(
  config: GuardConfigFile,
  home: string,
  log: Log,
): Promise<() => void> {
  if (config.mode === 'paper') return () => undefined
  const { account, venue } = config
  const names = [
    ['account', account],
    ...(venue.apiWallet === null ? [] : [['API wallet', venue.apiWallet] as const]),
  ] as const
  const releases: (() => void)[] = []
  const releaseAll = (): void => {
    for (const release of releases) release()
  }
  for (const [what, address] of names) {
    const claim = await claimOnHost(nameOf(config, address), { pid: process.pid, home })
    if (claim.kind === 'held') releases.push(claim.release)
    if (claim.kind === 'unknown') {
      log.log(
        'warn',
        `whether another Guard here has the ${what} ${address} is not known: ${claim.why}`,
      )
    }
    if (claim.kind === 'taken') {
      releaseAll()
      const { pid, home: other } = claim.by
      throw refused(`another Guard on this machine trades for the ${what} ${address}`, [
        `it is process ${pid}, with the home ${other}`,
        'stop it first: two Guards do not know of each other’s orders',
      ])
    }
  }
  return releaseAll
}

/** The name that a running Guard has for its account. */
export function accountName(config: GuardConfigFile): string {
  return nameOf(config, config.account)
}

/** One name for an address at a venue. */
function nameOf(config: GuardConfigFile, address: string): string {
  return digest('sha256', `${venuePlace(config)}\n${address}`).slice(0, 32)
}

/**
 * The network; a venue on this machine, such as a simulator, is a place of its own, however its URL is
 * written: all names of the machine are one, and a default port is a port.
 */
export function venuePlace({ venue }: { readonly venue: Venue }): string {
  const { hostname, protocol, port, pathname } = new URL(venue.url)
  if (!isLoopback(hostname.replace(/^\[|\]$/g, ''))) return venue.network
  const usual = protocol === 'https:' ? '443' : '80'
  return `this machine:${port === '' ? usual : port}${pathname.replace(/\/+$/, '')}`
}
