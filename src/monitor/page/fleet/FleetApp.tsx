import { ago, clockTime, money, signedMoney } from '../format.ts'
import { Mark } from '../Mark.tsx'
import { Accounts } from './Accounts.tsx'
import { fleet, gainOf, heardAtMs, isOld, link, nowMs, told } from './fleetStore.ts'
import { Budgets, FleetAlerts, Kills, LastDecisions } from './FleetCards.tsx'

/** One screen: whether to worry, how much there is, who is how near a halt, what was decided. */
export function FleetApp() {
  return (
    <div class={`page fleet${isOld.value ? ' is-lost' : ''}`}>
      <FleetHeader />
      <main>
        <section class="column wide">
          <Totals />
          <Accounts />
          <LastDecisions />
        </section>
        <aside class="column" aria-label="Alerts, kills and shared limits">
          <FleetAlerts />
          <Kills />
          <Budgets />
        </aside>
      </main>
    </div>
  )
}

function FleetHeader() {
  const { level, text } = told.value
  return (
    <header>
      <div class="bar">
        <h1>
          <Mark />
          Guard fleet
        </h1>
        <span class="account">{fleet.value?.store.place ?? ''}</span>
        <strong class={`state ${isOld.value ? 'waiting' : level}`} role="status">
          {isOld.value ? `Last known: ${text}` : text}
        </strong>
        <LinkState />
      </div>
      <OldNote />
    </header>
  )
}

function LinkState() {
  const heard = heardAtMs.value
  if (link.value === 'lost') {
    return (
      <span class="link lost" role="alert">
        The watcher does not answer
        {heard === null ? '' : `, last heard ${ago(nowMs.value - heard)} ago`}
      </span>
    )
  }
  const state = fleet.value
  if (state?.store.state === 'down') {
    return (
      <span class="link lost" role="alert">
        The store does not answer since {clockTime(state.store.since_ms)} UTC
      </span>
    )
  }
  return (
    <span class={`link ${link.value}`}>
      <i aria-hidden="true" />
      {link.value}
    </span>
  )
}

/** What to believe while nobody can say how it is now. */
function OldNote() {
  const state = fleet.value
  if (!isOld.value || state === null) return null
  const when =
    state.at_ms === null
      ? 'Nothing was seen yet.'
      : `What is shown below was true at ${clockTime(state.at_ms)} UTC.`
  return (
    <p class="lost-note">
      {when} Guards go on by themselves, each within its own limits. A kill that needs no store, at
      each machine: <code>guard kill --all</code>.
    </p>
  )
}

const modeNames = { mainnet: 'Mainnet', testnet: 'Testnet', paper: 'Paper' } as const

/** Equity and risk in all, for each kind of money. */
function Totals() {
  const state = fleet.value
  const totals = state?.totals ?? []
  return (
    <section class="card totals" aria-labelledby="totals-title">
      <h2 id="totals-title">
        In all <span class="count">{state?.members.length ?? 0} accounts</span>
      </h2>
      {totals.length === 0 ? <p class="empty">No account has told anything yet.</p> : null}
      {totals.map((each) => (
        <dl class="sums" key={each.mode} aria-label={modeNames[each.mode]}>
          <div>
            <dt>
              <span class={`badge ${each.mode}`}>{modeNames[each.mode]}</span> equity
            </dt>
            <dd>
              <b>{money(each.equity)}</b>
            </dd>
          </div>
          <div>
            <dt>Today</dt>
            <dd class={each.loss_today.startsWith('-') ? 'up' : 'down'}>
              {signedMoney(gainOf(each.loss_today))}
            </dd>
          </div>
          <div>
            <dt>Open risk</dt>
            <dd>{money(each.open_risk)}</dd>
          </div>
          <div>
            <dt>Value of positions</dt>
            <dd>{money(each.gross_value)}</dd>
          </div>
          <div>
            <dt>Positions</dt>
            <dd>{each.positions}</dd>
          </div>
          <div>
            <dt>Accounts</dt>
            <dd>
              {each.members}
              {each.unknown + each.silent === 0 ? null : (
                <small>
                  {' '}
                  {each.silent > 0 ? `${each.silent} as last told` : ''}
                  {each.silent > 0 && each.unknown > 0 ? ', ' : ''}
                  {each.unknown > 0 ? `${each.unknown} not known` : ''}
                </small>
              )}
            </dd>
          </div>
        </dl>
      ))}
    </section>
  )
}
