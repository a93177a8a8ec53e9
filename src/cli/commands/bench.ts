import { Option } from 'commander'
import type { Command } from 'commander'
import { teach, withJson } from '../commonOptions.ts'
import type { RoleName } from '../bench/roles/role.ts'
import type { Terminal } from '../terminal.ts'
import { openWorld } from '../bench/world.ts'
import { serveRole, startApart } from '../bench/roles/role.ts'
import { sustain } from '../bench/throughput.ts'

export function benchCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('bench')
    .description('measure Guard on this machine')
    .addOption(new Option('--role <name>').choices(['guard', 'venue', 'pass']).hideHelp())
    .action(async (options: { role?: RoleName }) => {
      if (options.role !== undefined) return await serveRole(options.role)
      const world = await openWorld(startApart, 1)
      const [account] = world.accounts
      if (!account) return
      try {
      const guard = await world.startGuard(account)
      for (const [n, orders] of [
        [1, 50],
        [8, 1000],
        [8, 2000],
        [32, 2000],
      ] as const) {
        const cpu = Number(await guard.ask('cpu'))
        const vcpu = Number(await world.venue.ask('cpu'))
        const own = process.cpuUsage()
        if (n === 32) await guard.ask('profile')
        const s = await sustain(guard.url, account.bots, n, orders)
        if (n === 32) {
          const fs = await import('node:fs')
          fs.writeFileSync('/tmp/hot.cpuprofile', JSON.stringify(await guard.ask('profiled')))
        }
        const gone = process.cpuUsage(own)
        terminal.out(
          JSON.stringify(s) +
            ` guard cpu us/order ${(Number(await guard.ask('cpu')) - cpu) / orders} venue ${(Number(await world.venue.ask('cpu')) - vcpu) / orders} bot ${(gone.user + gone.system) / orders}\n`,
        )
        await guard.ask('stages')
      }
      } finally { await world.close() }
    })
  teach(withJson(command), ['guard bench'], 'docs/benchmarks.md')
}
