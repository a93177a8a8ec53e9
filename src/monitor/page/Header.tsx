import { ago, clockTime, shortAddress } from './format.ts'
import { Mark } from './Mark.tsx'
import { stateOf } from './stateOf.ts'
import { heardAtMs, isStreaming, link, missed, nowMs, status } from './store.ts'

/** The line one glances at: mode, account, and whether to worry. */
export function Header() {
  const view = status.value
  return (
    <header>
      {view?.mode === 'mainnet' ? <div class="mainnet-band">Mainnet: real money</div> : null}
      <div class="bar">
        <h1>
          <Mark />
          Guard
        </h1>
        {view === null ? null : (
          <>
            <span class={`badge mode ${view.mode}`}>{view.mode}</span>
            <span class="account" title={view.account}>
              {shortAddress(view.account)}
            </span>
            {view.via == null ? null : (
              <span class="account" title={`traded by its owner ${view.via}`}>
                of {shortAddress(view.via)}
              </span>
            )}
          </>
        )}
        <State />
        <LinkState />
      </div>
      <LostNote />
    </header>
  )
}

function State() {
  const view = status.value
  if (view === null) return <span class="state waiting">waiting for Guard</span>
  const { level, text, detail } = stateOf(view)
  if (link.value === 'lost') {
    return <strong class="state waiting">Last known: {lowered(text)}</strong>
  }
  return (
    <strong class={`state ${level}`} role="status">
      {text}
      {detail === undefined ? null : (
        <span class={detail.length > 40 ? 'detail-text long-text' : 'detail-text'}>
          {' '}
          · {detail}
        </span>
      )}
    </strong>
  )
}

const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/** What to believe while Guard is gone, and what to do. */
function LostNote() {
  const view = status.value
  if (link.value !== 'lost' || view === null) return null
  return (
    <p class="lost-note">
      What is shown below was true at {clockTime(view.now_ms)} UTC. Stops resting at the venue
      stand; nothing else is watched until Guard runs again. At the machine:{' '}
      <code>guard status</code>, then <code>guard run</code>.
    </p>
  )
}

function LinkState() {
  const heard = heardAtMs.value
  const silentMs = heard === null ? null : nowMs.value - heard
  if (link.value === 'lost') {
    return (
      <span class="link lost" role="alert">
        Guard does not answer{silentMs === null ? '' : `, last heard ${ago(silentMs)} ago`}
      </span>
    )
  }
  const stream = status.value?.venue.stream
  return (
    <span class={`link ${link.value}`}>
      <i aria-hidden="true" />
      {link.value === 'connecting' ? 'connecting' : 'live'}
      {isStreaming.value ? null : <b class="venue">events are paused, reconnecting</b>}
      {stream !== undefined && stream !== 'live' ? (
        <b class="venue">venue stream {stream}</b>
      ) : null}
      {missed.value > 0 ? <b class="venue">{missed.value} events missed</b> : null}
    </span>
  )
}
