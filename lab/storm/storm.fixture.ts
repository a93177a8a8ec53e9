import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import type { Crypto } from '../../src/core/protocol/crypto.ts'
import { cheapCrypto } from './cheapCurve.ts'
import type { BotKind } from './botKinds.ts'
import type { FaultKind } from './faultKinds.ts'
import type { HabitKind } from './habitKinds.ts'
import { plainManners } from './httpFront.ts'
import { planOf, withoutHabits } from './plan.ts'
import type { Plan } from './plan.ts'
import type { Dice, Step } from './step.ts'

const real = await loadCrypto()
const cheap = cheapCrypto(real.keccak256)

export function curveFor(plan: Plan): Crypto {
  return plan.hasRealCurve ? real : cheap
}

const middle: Dice = [0.3, 0.3, 0.3, 0.3]

export function bot(at: number, kind: BotKind, dice: Dice = middle): Step {
  return { at, kind: 'bot', bot: kind, dice }
}

export function fault(at: number, kind: FaultKind, dice: Dice = middle): Step {
  return { at, kind: 'fault', fault: kind, dice }
}

export function habit(at: number, kind: HabitKind, dice: Dice = middle): Step {
  return { at, kind: 'habit', habit: kind, dice }
}

/** A calm world in which only these steps happen. */
export function scripted(seed: number, ...steps: readonly Step[]): Plan {
  const stormMs = (steps.at(-1)?.at ?? 0) + 5_000
  const calm = { isFrozen: true, isUnified: false, hasCadence: false, hasReader: false } as const
  const habits = steps.flatMap((step) => (step.kind === 'habit' ? [step.habit] : []))
  const plain = {
    ...planOf(seed, stormMs),
    ...calm,
    ...withoutHabits,
    habits,
    isKeyed: false,
    isOwned: false,
    isVault: false,
    hasSecondDisk: false,
    margin: 'isolated' as const,
  }
  return {
    ...plain,
    front: plainManners,
    streamLagMs: 0,
    hasFollower: false,
    hasAgent: false,
    steps,
  }
}
