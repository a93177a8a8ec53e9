import 'uplot/dist/uPlot.min.css'
import './style.css'
import { effect } from '@preact/signals'
import { render } from 'preact'
import { App } from './App.tsx'
import { follow } from './feed.ts'
import { pageTitle } from './pageTitle.ts'

const root = document.getElementById('app')
if (root !== null) {
  render(<App />, root)
  effect(() => {
    document.title = pageTitle()
  })
  follow()
}
