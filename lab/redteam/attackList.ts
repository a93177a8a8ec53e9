import type { Attack } from './attack.ts'
import { authenticationAttacks } from './attacks/authentication.ts'
import { contentAttacks } from './attacks/content.ts'
import { entryGroupAttacks } from './attacks/entryGroups.ts'
import { floodingAttacks } from './attacks/flooding.ts'
import { foreignTextAttacks } from './attacks/foreignText.ts'
import { fundsAttacks } from './attacks/funds.ts'
import { haltAttacks, latchAttacks } from './attacks/halts.ts'
import { httpAttacks } from './attacks/http.ts'
import { httpByteAttacks } from './attacks/httpBytes.ts'
import { leverageAttacks } from './attacks/leverage.ts'
import { marketAttacks } from './attacks/markets.ts'
import { nonceAttacks } from './attacks/nonces.ts'
import { oneConnectionAttacks } from './attacks/oneConnection.ts'
import { restingOrderAttacks } from './attacks/restingOrders.ts'
import { routeAttacks } from './attacks/routes.ts'
import { sizingAttacks } from './attacks/sizing.ts'
import { stopAttacks } from './attacks/stops.ts'
import { stopStepAttacks } from './attacks/stopSteps.ts'
import { subscriptionAttacks } from './attacks/subscriptions.ts'
import { websocketAttacks } from './attacks/websocket.ts'

/** Every attack, those that pull the kill switch last. */
export const attacks: readonly Attack[] = [
  ...authenticationAttacks,
  ...fundsAttacks,
  ...sizingAttacks,
  ...stopAttacks,
  ...stopStepAttacks,
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
  ...routeAttacks,
  ...foreignTextAttacks,
  ...nonceAttacks,
  ...subscriptionAttacks,
  ...floodingAttacks,
  ...latchAttacks,
]
