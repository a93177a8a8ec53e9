import type { Mode } from '../core/events/guardEvent.ts'
import { err, ok } from '../core/values/result.ts'
import type { Result } from '../core/values/result.ts'
import { isLoopback } from './listenAddress.ts'

type Network = 'mainnet' | 'testnet'

export const venueUrls = {
  mainnet: 'https://api.hyperliquid.xyz',
  testnet: 'https://api.hyperliquid-testnet.xyz',
} as const satisfies Record<Network, string>

export interface VenueAddresses {
  readonly url: string
  readonly wsUrl: string
  readonly network: Network
}

/** What is wrong with `[venue]`, and with which key of it. */
interface VenueProblem {
  readonly key: 'url' | 'ws_url' | 'network'
  readonly text: string
}

/**
 * The network follows the mode. Paper mode reads the network it is told, or the one its URL belongs
 * to, or mainnet: it cannot send.
 */
export function venueAddresses(
  mode: Mode,
  url: string | undefined,
  wsUrl: string | undefined,
  network: Network | undefined,
): Result<VenueAddresses, VenueProblem> {
  if (mode !== 'paper' && network !== undefined && network !== mode) {
    return err({ key: 'network', text: `must be "${mode}" in ${mode} mode, or left out` })
  }
  const chosen = mode === 'paper' ? (network ?? paperNetwork(url)) : mode
  const rest = url ?? venueUrls[chosen]
  const restProblem = urlProblem(rest, 'http')
  if (restProblem !== null) return err({ key: 'url', text: restProblem })
  const socket = wsUrl ?? `${rest.replace(/^http/i, 'ws').replace(/\/+$/, '')}/ws`
  const socketProblem = urlProblem(socket, 'ws')
  if (socketProblem !== null) return err({ key: 'ws_url', text: socketProblem })
  if (mode === 'mainnet' && isAt(rest, 'testnet')) {
    return err({ key: 'url', text: 'is the testnet address, and mode is mainnet' })
  }
  if (mode === 'testnet' && isAt(rest, 'mainnet')) {
    return err({ key: 'url', text: 'is the mainnet address, and mode is testnet' })
  }
  return ok({ url: rest.replace(/\/+$/, ''), wsUrl: socket, network: chosen })
}

function paperNetwork(url: string | undefined): Network {
  return url === undefined || isAt(url, 'mainnet') ? 'mainnet' : 'testnet'
}

/** Whether a URL, however it is written, names the host of a network. */
function isAt(url: string, network: Network): boolean {
  return URL.canParse(url) && new URL(url).hostname === new URL(venueUrls[network]).hostname
}

/** Plain text is for this machine; anything farther away must be encrypted. */
function urlProblem(text: string, scheme: 'http' | 'ws'): string | null {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return `must be a URL that starts with ${scheme}s://`
  }
  if (url.protocol === `${scheme}s:`) return null
  if (url.protocol !== `${scheme}:`) return `must start with ${scheme}s://`
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isLoopback(host)
    ? null
    : `must start with ${scheme}s:// (plain ${scheme}:// is for this machine only)`
}
