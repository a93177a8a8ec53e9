import { useState } from 'preact/hooks'
import { readOlder } from './feed.ts'
import { clockTime, shortAddress } from './format.ts'
import type { DecisionEvent, Filter } from './store.ts'
import {
  choices,
  coinsOf,
  filter,
  firstSeq,
  hasMoreInMemory,
  noFilter,
  rowsAtOnce,
  rowsShown,
  selectedSeq,
  shownDecisions,
} from './store.ts'

/** The latest decisions: verdict, code and a plain sentence. */
export function Decisions() {
  const rows = shownDecisions.value
  return (
    <section class="card decisions" aria-labelledby="decisions-title">
      <div class="card-head">
        <h2 id="decisions-title">Decisions</h2>
        <Filters />
      </div>
      {rows.length === 0 ? <p class="empty">No decisions to show.</p> : <Table rows={rows} />}
      <Older />
    </section>
  )
}

function Table({ rows }: { readonly rows: readonly DecisionEvent[] }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Decisions table">
      <table>
        <thead>
          <tr>
            <th>Time</th>
            <th>Verdict</th>
            <th>Request</th>
            <th>Why</th>
            <th>Client</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((each) => (
            <Row key={each.seq} decision={each} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ decision }: { readonly decision: DecisionEvent }) {
  const open = (): void => {
    selectedSeq.value = decision.seq
  }
  return (
    <tr class="clickable" onClick={open}>
      <td>
        <time dateTime={new Date(decision.at_ms).toISOString()}>{clockTime(decision.at_ms)}</time>
      </td>
      <td>
        <span class={`verdict ${decision.verdict}`}>{decision.verdict}</span>
      </td>
      <td class="request">
        <button type="button" class="row-link" onClick={open}>
          {decision.action ?? 'unreadable'} {coinsOf(decision).join(', ')}
        </button>
      </td>
      <td class="why" title={decision.text}>
        <div>
          <code>{decision.code}</code> {decision.text}
        </div>
      </td>
      <td class="client">{shortAddress(decision.client)}</td>
    </tr>
  )
}

function Filters() {
  const set = (change: Partial<Filter>): void => {
    filter.value = { ...filter.value, ...change }
  }
  const current = filter.value
  const isSet = current !== noFilter && Object.values(current).some((value) => value !== '')
  return (
    <form
      class="filters"
      onSubmit={(event) => event.preventDefault()}
      aria-label="Filter decisions"
    >
      <Choice
        name="Verdict"
        value={current.verdict}
        options={['allow', 'resize', 'veto']}
        onChange={(verdict) => set({ verdict })}
      />
      <Choice
        name="Code"
        value={current.code}
        options={choices.value.codes}
        onChange={(code) => set({ code })}
      />
      <Choice
        name="Coin"
        value={current.coin}
        options={choices.value.coins}
        onChange={(coin) => set({ coin })}
      />
      <Choice
        name="Client"
        value={current.client}
        options={choices.value.clients}
        label={shortAddress}
        onChange={(client) => set({ client })}
      />
      {isSet ? (
        <button type="button" onClick={() => (filter.value = noFilter)}>
          clear
        </button>
      ) : null}
    </form>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly value: string
  readonly options: readonly string[]
  readonly label?: (option: string) => string
  readonly onChange: (value: string) => void
}

function Choice({ name, value, options, label, onChange }: ChoiceProps) {
  return (
    <select
      aria-label={name}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <option value="">{name}: all</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {label === undefined ? option : label(option)}
        </option>
      ))}
    </select>
  )
}

const pagesAtOnce = 5

/** More of what is in the page, then history from the journal, until there is something to show. */
async function showMore(): Promise<void> {
  rowsShown.value += rowsAtOnce
  for (let page = 0; page < pagesAtOnce && !hasMoreInMemory.value; page++) {
    if (shownDecisions.value.length >= rowsShown.value || !(await readOlder())) return
  }
}

function Older() {
  const [isReading, setReading] = useState(false)
  if (firstSeq.value <= 1 && !hasMoreInMemory.value) return null
  const read = (): void => {
    setReading(true)
    void showMore().then(() => {
      setReading(false)
    })
  }
  return (
    <button type="button" class="older" onClick={read} disabled={isReading}>
      {isReading ? 'reading the journal' : 'show older decisions'}
    </button>
  )
}
