/**
 * What bots, and people at the venue, do in several steps, by name. A habit looks at the account as
 * it is at each step; `habits/` holds them.
 */
const habitTexts = {
  cloid_reuse:
    'the same client order id on several orders: at once, beside one that rests, after one that ended',
  modify_race: 'resting entries are modified while the market takes a part of them',
  flip_and_quote: 'orders against a position and larger than it, and quotes on both sides',
  partial_targets: 'groups whose take profits are smaller than their entry, one of them reached',
  looser_steps: 'looser stops beside tight ones, step by step, and then the tight ones cancelled',
  exit_groups: 'closes in a group, with stops that wait for their fill',
  hand_on_stops: "a person cancels stops at the venue's own page",
  crowding: 'many small orders at once, until no more may be open',
  trigger_entries:
    'entries that wait for a trigger, which the price reaches, also while Guard is down',
  twaps: 'TWAPs that open, close, wait for a price or are cancelled, also while Guard is down',
  spot_sells: 'tokens that are held are sold, and other orders on spot pairs asked for',
} as const

/** Only worlds of `accounts/` draw these: the worlds of other seeds stay as they are. */
const accountHabitTexts = {
  breakouts:
    'entries wait on both sides of the price, which breaks to one of them and then to the other, also while Guard is down or the margin is gone',
} as const

/** What bots do in several steps on builder dexes; only the worlds of `dexes/` have it. */
const dexHabitTexts = {
  unlike_stops:
    'entries of one market whose stops are very unlike, and a leverage that goes down beside them',
} as const

type UsualHabit = keyof typeof habitTexts
type AccountHabit = keyof typeof accountHabitTexts
type DexHabit = keyof typeof dexHabitTexts
export type HabitKind = UsualHabit | AccountHabit | DexHabit

export const allHabits = Object.keys(habitTexts) as readonly UsualHabit[]
export const accountHabits = Object.keys(accountHabitTexts) as readonly AccountHabit[]
export const dexHabits = Object.keys(dexHabitTexts) as readonly DexHabit[]
