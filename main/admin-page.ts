/**
 * The page of the officers' prompt: a form without a script. Its preload listens to it (admin-preload.ts).
 */
import type { AdminCommand } from './admin-words.ts'

const BUTTONS: readonly (readonly [AdminCommand | 'close', string])[] = [
  ['reload', 'Show the first screen'],
  ['restart', 'Restart the server'],
  ['info', 'Show what runs here'],
  ['exit', 'Leave the kiosk'],
  ['close', 'Cancel'],
]

const STYLE =
  'html{background:#fff;color:#14202b;font:18px/1.5 "Noto Sans",sans-serif}' +
  'body{margin:24px}h1{font-size:24px;margin:0 0 8px}label{display:block;margin-top:16px}' +
  'input{font:inherit;width:100%;box-sizing:border-box;padding:8px;border:2px solid #6b7680;border-radius:8px}' +
  'div{display:grid;grid-template-columns:1fr 1fr;gap:12px;margin-top:16px}' +
  'button{font:inherit;min-height:48px;border:2px solid #0b5c63;border-radius:8px;background:#fff;color:#0b5c63}' +
  ':focus-visible{outline:4px solid #14202b;outline-offset:2px;box-shadow:0 0 0 2px #ffc400}' +
  'output{display:block;margin-top:16px;white-space:pre-wrap}'

const buttons = BUTTONS.map(([name, text]) => `<button type="submit" value="${name}">${text}</button>`).join(
  '',
)

const HTML =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Staff</title>' +
  `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; form-action 'none'">` +
  `<style>${STYLE}</style><body><h1>For staff</h1><form autocomplete="off">` +
  '<label for="passphrase">Passphrase of this machine</label>' +
  '<input id="passphrase" type="password" autofocus autocomplete="off" maxlength="200">' +
  `<div>${buttons}</div></form><output role="status"></output>`

export const ADMIN_PAGE = `data:text/html;charset=utf-8,${encodeURIComponent(HTML)}`
