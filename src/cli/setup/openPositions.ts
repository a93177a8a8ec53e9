import type { Address } from '../../core/values/address.ts'
import { createHttpTransport } from '../../venue/httpTransport.ts'
import { askInfo } from './askInfo.ts'
import { statesOfEveryDex } from './everyDex.ts'

/** A position that a person should know of; `size` is below zero for a short one. */
interface OpenPosition {
  readonly coin: string
  readonly size: string
}

/** The positions at the venue, those on builder dexes too, read once; null where they cannot be read. */
export async function openPositions(
  venueUrl: string,
  user: Address,
): Promise<readonly OpenPosition[] | null> {
  const transport = createHttpTransport(venueUrl)
  try {
    const states = await statesOfEveryDex(askInfo(transport), user)
    if (!states.ok) return null
    const positions = states.value.flatMap((state) => state.positions)
    return positions.map(({ coin, size }) => ({ coin, size: size.toString() }))
  } finally {
    transport.close()
  }
}

/** What a person has to know of them once a latch or a halt is gone, which was closing them. */
export function openWords(positions: readonly OpenPosition[] | null): string {
  const left =
    'Guard keeps a stop on what is open, and closes it no more: close it yourself if you do not want it.'
  if (positions === null) {
    return `What is open at the venue could not be read. ${left}\n`
  }
  if (positions.length === 0) return 'The venue shows no open position.\n'
  return `Still open at the venue: ${positions.map(inWords).join(', ')}. ${left}\n`
}

function inWords({ coin, size }: OpenPosition): string {
  return size.startsWith('-') ? `${coin} ${size.slice(1)} short` : `${coin} ${size} long`
}
