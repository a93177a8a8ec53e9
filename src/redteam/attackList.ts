import type { Attack } from './attack.ts'
import { authenticationAttacks } from './attacks/authentication.ts'
import { contentAttacks } from './attacks/content.ts'
import { entryGroupAttacks } from './attacks/entryGroups.ts'
import { floodingAttacks } from './attacks/flooding.ts'
import { fundsAttacks } from './attacks/funds.ts'
import { haltAttacks, latchAttacks } from './attacks/halts.ts'
import { httpAttacks } from './attacks/http.ts'
import { httpByteAttacks } from './attacks/httpBytes.ts'
import { leverageAttacks } from './attacks/leverage.ts'
import { marketAttacks } from './attacks/markets.ts'
import { oneConnectionAttacks } from './attacks/oneConnection.ts'
import { restingOrderAttacks } from './attacks/restingOrders.ts'
import { sizingAttacks } from './attacks/sizing.ts'
import { stopAttacks } from './attacks/stops.ts'
import { websocketAttacks } from './attacks/websocket.ts'

/** Every attack, those that pull the kill switch last. */
export const attacks: readonly Attack[] = [
  ...authenticationAttacks,
  ...fundsAttacks,
  ...sizingAttacks,
  ...stopAttacks,
  ...entryGroupAttacks,
  ...leverageAttacks,
  ...marketAttacks,
  ...haltAttacks,
  ...httpAttacks,
  ...httpByteAttacks,
  ...websocketAttacks,
  ...contentAttacks,
  ...restingOrderAttacks,
  ...oneConnectionAttacks,
  ...floodingAttacks,
  ...latchAttacks,
]
