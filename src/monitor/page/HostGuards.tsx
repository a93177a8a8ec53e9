import { shortAddress } from './format.ts'
import { status } from './store.ts'

/** The other Guards of this machine, each with a link to its own page, and the share this one has. */
export function HostGuards() {
  const host = status.value?.host ?? null
  if (host === null) return null
  return (
    <>
      <dt>Host</dt>
      <dd class="host-guards">
        {host.guards} {host.guards === 1 ? 'Guard' : 'Guards'}, {host.weight_share} of request
        weight a minute
        {host.others.filter(isWebAddress).map(({ account, network, url }) => (
          <a key={url} href={url} rel="noreferrer" title={account}>
            {' '}
            {shortAddress(account)} ({network})
          </a>
        ))}
      </dd>
    </>
  )
}

/** What another Guard wrote down is linked only where it is an address of a page. */
function isWebAddress({ url }: { readonly url: string }): boolean {
  return /^https?:\/\/[\w.:[\]-]+\/?$/.test(url)
}
