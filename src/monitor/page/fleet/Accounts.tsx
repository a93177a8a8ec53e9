import type { FleetMemberView } from '../../fleetState.ts'
import { ago, money, percent, shareForDrawing, shortAddress, signedMoney } from '../format.ts'
import type { FleetFilter } from './fleetStore.ts'
import { choices, filter, fleet, gainOf, noFilter, shownMembers } from './fleetStore.ts'

/** Every account a row, with its distance to its halts. */
export function Accounts() {
  const rows = shownMembers.value
  const all = fleet.value?.members.length ?? 0
  const more = fleet.value?.members_more ?? 0
  return (
    <section class="card positions accounts" aria-labelledby="accounts-title">
      <div class="card-head">
        <h2 id="accounts-title">
          Accounts{' '}
          <span class="count" aria-live="polite">
            {rows.length === all ? all : `${rows.length} of ${all}`}
            {more > 0 ? `, ${more} more are not shown` : ''}
          </span>
        </h2>
        <Filters />
      </div>
      {rows.length === 0 ? (
        <p class="empty">{all === 0 ? 'Nobody has joined.' : 'None fits the filter.'}</p>
      ) : (
        <div class="scroll bounded" tabIndex={0} role="region" aria-label="Accounts table">
          <table>
            <thead>
              <tr>
                <th>Account</th>
                <th>State</th>
                <th class="num">Equity</th>
                <th class="num">Today</th>
                <th class="num">Open risk</th>
                <th class="num">Positions</th>
                <th class="num">To daily stop</th>
                <th class="num">To drawdown halt</th>
                <th class="num">Heard</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((each) => (
                <Row key={`${each.network} ${each.account}`} member={each} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

const stateWords = {
  unseen: 'never joined',
  silent: 'silent',
  latched: 'latched',
  stopped: 'drawdown halt',
  halted_for_day: 'daily loss stop',
  untold: 'no figures',
  active: 'active',
} as const
const stateLevels = {
  ...{ unseen: 'none', silent: 'bad', latched: 'bad', stopped: 'bad', halted_for_day: 'bad' },
  ...{ untold: 'warn', active: 'good' },
} as const

function Row({ member }: { readonly member: FleetMemberView }) {
  const { summary, state } = member
  const today = summary?.loss_today ?? null
  const why = summary?.kill_reason ?? summary?.entries_refused ?? null
  return (
    <tr class={state === 'silent' ? 'uncovered' : ''}>
      <th scope="row">
        <span class="market" title={member.name}>
          {member.name}
        </span>{' '}
        <small title={member.account}>
          {shortAddress(member.account)} {member.network}
          {member.group === null ? '' : ` · ${member.group}`}
        </small>
      </th>
      <td data-name="State" class="how">
        <span class={`pill ${stateLevels[state]}`} title={why ?? undefined}>
          {stateWords[state]}
        </span>
        {summary !== null && summary.alerts.length > 0 ? (
          <small title={summary.alerts.join(', ')}>
            {' '}
            {summary.alerts.length} {summary.alerts.length === 1 ? 'alert' : 'alerts'}
          </small>
        ) : null}
        <StandbyNote standby={member.standby} />
      </td>
      <td data-name="Equity" class="num">
        {money(summary?.equity ?? null)}
      </td>
      <td data-name="Today" class={`num ${today?.startsWith('-') === true ? 'up' : 'down'}`}>
        {today === null ? '–' : signedMoney(gainOf(today))}
      </td>
      <td data-name="Open risk" class="num">
        {money(summary?.open_risk ?? null)}
      </td>
      <td data-name="Positions" class="num">
        {summary === null ? '–' : summary.positions}
        {summary !== null && summary.uncovered > 0 ? (
          <b class="warning"> {summary.uncovered} not covered</b>
        ) : null}
      </td>
      <Distance
        name="To daily stop"
        left={summary?.daily_loss_left ?? null}
        used={summary?.daily_loss ?? null}
        limit={summary?.daily_loss_limit ?? null}
      />
      <Distance
        name="To drawdown"
        left={summary?.drawdown_left ?? null}
        used={summary?.drawdown ?? null}
        limit={summary?.drawdown_limit ?? null}
      />
      <td data-name="Heard" class="num">
        {member.unheard_ms === null ? 'never' : `${ago(member.unheard_ms)} ago`}
      </td>
    </tr>
  )
}

/** One that is unheard for so long is counted on by nobody. */
const silentMs = 30_000

function StandbyNote({ standby }: Pick<FleetMemberView, 'standby'>) {
  if (standby == null) return null
  const { host, note, unheard_ms: unheardMs } = standby
  const isSilent = unheardMs >= silentMs
  const isWell = !isSilent && note === null
  const how = isSilent ? `silent for ${ago(unheardMs)}` : (note ?? 'would take over')
  const title = `standby at ${host}: ${how}`
  return (
    <small title={title}>
      {' '}
      {isWell ? (
        'standby'
      ) : (
        <b class="warning">{isSilent ? 'standby silent' : 'standby latches'}</b>
      )}
    </small>
  )
}

interface DistanceProps {
  readonly name: string
  readonly left: string | null
  readonly used: string | null
  readonly limit: string | null
}

/** How much is left, in words; the bar beside it is for the eye alone. */
function Distance({ name, left, used, limit }: DistanceProps) {
  const share = shareForDrawing(used, limit)
  const level = share === null ? 'none' : share >= 80 ? 'bad' : share >= 60 ? 'warn' : 'good'
  return (
    <td data-name={name} class="num distance">
      <span class={level === 'bad' ? 'down' : ''}>{percent(left, 1)}</span>
      <span class={`meter ${level}`} aria-hidden="true">
        <span style={{ width: `${Math.round(share ?? 0)}%` }} />
      </span>
    </td>
  )
}

function Filters() {
  const set = (change: Partial<FleetFilter>): void => {
    filter.value = { ...filter.value, ...change }
  }
  const current = filter.value
  const { groups, networks, states } = choices.value
  const isSet = Object.values(current).some((value) => value !== '')
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()} aria-label="Filter accounts">
      <input
        type="search"
        aria-label="Name or account"
        placeholder="name or 0x.."
        value={current.name}
        onInput={(event) => set({ name: event.currentTarget.value })}
      />
      <Pick
        name="Group"
        value={current.group}
        options={groups}
        onPick={(group) => set({ group })}
      />
      <Pick
        name="Network"
        value={current.network}
        options={networks}
        onPick={(network) => set({ network })}
      />
      <Pick
        name="State"
        value={current.state}
        options={states}
        onPick={(state) => set({ state })}
      />
      {isSet ? (
        <button type="button" onClick={() => (filter.value = noFilter)}>
          clear
        </button>
      ) : null}
    </form>
  )
}

interface PickProps {
  readonly name: string
  readonly value: string
  readonly options: readonly string[]
  readonly onPick: (value: string) => void
}

function Pick({ name, value, options, onPick }: PickProps) {
  const words: Readonly<Record<string, string>> = name === 'State' ? stateWords : {}
  return (
    <select aria-label={name} value={value} onChange={(event) => onPick(event.currentTarget.value)}>
      <option value="">{name}: all</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {words[option] ?? option}
        </option>
      ))}
    </select>
  )
}
