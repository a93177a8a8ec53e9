import { useState } from 'preact/hooks'
import { fullTime } from './format.ts'
import { status } from './store.ts'

const command = 'guard kill --reason "from the monitor"'

/** The page cannot change anything; it shows the command that can. */
export function KillSwitch() {
  const kill = status.value?.kill
  const [copied, setCopied] = useState(false)
  const copy = (): void => {
    void navigator.clipboard.writeText(command).then(() => {
      setCopied(true)
      setTimeout(() => {
        setCopied(false)
      }, 2_000)
    })
  }
  return (
    <section
      class={`card kill ${kill?.latched === true ? 'latched' : ''}`}
      aria-labelledby="kill-title"
    >
      <h2 id="kill-title">Kill switch</h2>
      {kill?.latched === true ? (
        <>
          <p>
            <b>Latched.</b> {kill.reason}
          </p>
          {kill.at_ms === null ? null : <small>{fullTime(kill.at_ms)}</small>}
          {kill.durable ? null : (
            <p class="warning">
              It is not on disk yet: do not stop Guard before the state directory can be written.
            </p>
          )}
          <p>
            Nothing opens. To release it, stop Guard and run <code>guard kill release</code> at the
            machine.
          </p>
        </>
      ) : (
        <>
          <p>Closes everything and lets nothing open. At the machine, run:</p>
          <div class="command">
            <code>{command}</code>
            <button type="button" onClick={copy} aria-label="Copy the kill command">
              {copied ? 'copied' : 'copy'}
            </button>
          </div>
        </>
      )}
    </section>
  )
}
