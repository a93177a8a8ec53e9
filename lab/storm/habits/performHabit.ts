import type { HabitKind } from '../habitKinds.ts'
import type { Dice } from '../step.ts'
import type { World } from '../world.ts'
import { breakouts } from './breakouts.ts'
import { cloidReuse } from './cloidReuse.ts'
import { crowding } from './crowding.ts'
import { exitGroups } from './exitGroups.ts'
import { flipAndQuote } from './flipAndQuote.ts'
import { HabitDesk } from './habitDesk.ts'
import { handOnStops } from './handOnStops.ts'
import { looserSteps } from './looserSteps.ts'
import { modifyRace } from './modifyRace.ts'
import { partialTargets } from './partialTargets.ts'
import { spotSells } from './spotSells.ts'
import { triggerEntries } from './triggerEntries.ts'
import { twaps } from './twaps.ts'
import { unlikeStops } from './unlikeStops.ts'

const habits: { readonly [Kind in HabitKind]: (desk: HabitDesk) => void } = {
  cloid_reuse: cloidReuse,
  modify_race: modifyRace,
  flip_and_quote: flipAndQuote,
  partial_targets: partialTargets,
  looser_steps: looserSteps,
  exit_groups: exitGroups,
  hand_on_stops: handOnStops,
  crowding,
  trigger_entries: triggerEntries,
  twaps,
  spot_sells: spotSells,
  breakouts,
  unlike_stops: unlikeStops,
}

/** Begins a habit; its later steps follow by the world's time. */
export function performHabit(world: World, habit: HabitKind, dice: Dice): void {
  world.trace.say(`habit ${habit}`)
  world.coverage.struck(habit)
  habits[habit](new HabitDesk(world, habit, dice))
}
