import type { BotKind } from './botKinds.ts'
import type { FaultKind } from './faultKinds.ts'
import type { HabitKind } from './habitKinds.ts'

/** One thing that happens to the world; `dice` decide its details against the world as it then is. */
export type Step =
  | {
      readonly at: number
      readonly kind: 'bot'
      readonly bot: BotKind
      readonly dice: Dice
      /** It looks for its market on the builder dexes. */
      readonly onDex?: true
    }
  | { readonly at: number; readonly kind: 'fault'; readonly fault: FaultKind; readonly dice: Dice }
  | { readonly at: number; readonly kind: 'habit'; readonly habit: HabitKind; readonly dice: Dice }

export type Dice = readonly [number, number, number, number]
