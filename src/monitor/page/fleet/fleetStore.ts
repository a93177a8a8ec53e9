import { computed, signal } from '@preact/signals'
import { shownValue } from '../../../core/values/shownText.ts'
import type { FleetMemberView, FleetState } from '../../fleetState.ts'
import { shareForDrawing } from '../format.ts'

/** What the page knows. Everything drawn derives from here. */

export const fleet = signal<FleetState | null>(null)
export const link = signal<'connecting' | 'live' | 'lost'>('connecting')
/** When the watcher last answered, by this browser's clock. */
export const heardAtMs = signal<number | null>(null)
export const nowMs = signal(Date.now())

export interface FleetFilter {
  readonly name: string
  readonly group: string
  readonly network: string
  readonly state: string
}
export const noFilter: FleetFilter = { name: '', group: '', network: '', state: '' }
export const filter = signal<FleetFilter>(noFilter)

const everyMs = 2_000

export function follow(): void {
  void read()
  setInterval(() => void read(), everyMs)
  setInterval(() => {
    nowMs.value = Date.now()
  }, 1_000)
}

async function read(): Promise<void> {
  try {
    const response = await fetch('/fleet/state', { cache: 'no-store' })
    if (!response.ok) throw new Error(String(response.status))
    // What others chose, such as a reason or the name of a host, can look like nothing else here.
    fleet.value = shownValue((await response.json()) as FleetState)
    heardAtMs.value = Date.now()
    link.value = 'live'
  } catch {
    link.value = 'lost'
  }
}

/** The picture is not of now: the watcher, or the store behind it, does not answer. */
export const isOld = computed(
  () => link.value === 'lost' || (fleet.value !== null && fleet.value.store.state === 'down'),
)

/** How much of the nearer halt is used up, 0 to 100, for drawing and for the order of rows. */
function usedShare({ summary }: FleetMemberView): number {
  if (summary === null) return 0
  return Math.max(
    shareForDrawing(summary.daily_loss, summary.daily_loss_limit) ?? 0,
    shareForDrawing(summary.drawdown, summary.drawdown_limit) ?? 0,
  )
}

/** A loss as what was made of the day. */
export function gainOf(loss: string): string {
  if (loss.startsWith('-')) return loss.slice(1)
  return /[1-9]/.test(loss) ? `-${loss}` : loss
}

const ranks: Readonly<Record<FleetMemberView['state'], number>> = {
  ...{ silent: 0, latched: 1, stopped: 2, halted_for_day: 3, untold: 4, active: 5, unseen: 6 },
}

/** Who needs a look comes first: by state, then by how near a halt is. */
const inOrder = computed(() =>
  [...(fleet.value?.members ?? [])]
    .map((member) => ({ member, rank: ranks[member.state], used: usedShare(member) }))
    .sort((a, b) => a.rank - b.rank || b.used - a.used || (a.member.name < b.member.name ? -1 : 1))
    .map(({ member }) => member),
)

export const shownMembers = computed(() => {
  const { name, group, network, state } = filter.value
  const wanted = name.trim().toLowerCase()
  return inOrder.value.filter(
    (each) =>
      (wanted === '' ||
        each.name.toLowerCase().includes(wanted) ||
        each.account.includes(wanted)) &&
      (group === '' || each.group === group) &&
      (network === '' || each.network === network) &&
      (state === '' || each.state === state),
  )
})

export const choices = computed(() => {
  const members = fleet.value?.members ?? []
  const sorted = (values: readonly (string | null)[]): string[] =>
    [...new Set(values.flatMap((value) => value ?? []))].sort()
  return {
    groups: sorted(members.map(({ group }) => group)),
    networks: sorted(members.map(({ network }) => network)),
    states: sorted(members.map(({ state }) => state)),
  }
})

/** The worst of what holds now, in a few words. */
export const told = computed(() => {
  const state = fleet.value
  if (state === null) return { level: 'waiting', word: 'WAITING', text: 'waiting for the watcher' }
  const { alerts, members, kills } = state
  const killed = kills.filter((kill) => kill.state === 'killed').length
  const count = (state_: FleetMemberView['state']): number =>
    members.filter((each) => each.state === state_).length
  const silent = count('silent')
  const halted = count('stopped') + count('halted_for_day')
  if (killed > 0) {
    return { level: 'bad', word: 'KILLED', text: many(killed, 'kill', 'kills', 'raised') }
  }
  if (silent > 0) {
    return { level: 'bad', word: 'SILENT', text: many(silent, 'Guard is', 'Guards are', 'silent') }
  }
  if (alerts.length > 0) {
    return { level: 'warn', word: 'LOOK', text: many(alerts.length, 'alert', 'alerts', 'hold') }
  }
  if (halted + count('latched') > 0) {
    const text = many(halted + count('latched'), 'account is', 'accounts are', 'stopped')
    return { level: 'warn', word: 'LOOK', text }
  }
  return { level: 'good', word: 'OK', text: 'All quiet' }
})

function many(count: number, one: string, more: string, rest: string): string {
  return `${count} ${count === 1 ? one : more} ${rest}`
}

export const title = computed(() => {
  const word = link.value === 'lost' ? 'LOST' : isOld.value ? 'STORE DOWN' : told.value.word
  return `${word} · Guard fleet`
})
