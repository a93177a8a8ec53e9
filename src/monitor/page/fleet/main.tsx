import '../style.css'
import './fleet.css'
import { effect } from '@preact/signals'
import { render } from 'preact'
import { FleetApp } from './FleetApp.tsx'
import { follow, title } from './fleetStore.ts'

const root = document.getElementById('app')
if (root !== null) {
  render(<FleetApp />, root)
  effect(() => {
    document.title = title.value
  })
  follow()
}
