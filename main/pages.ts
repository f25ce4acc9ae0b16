/**
 * The few pages that the shell shows while there is no server: plain, without a script, easy to understand.
 * All other pages are the server's. Sizes are for 27 inches at arm's length, as on the screens.
 */

/** Shows all languages together, because none is chosen yet. */
const STARTING = [
  ['This machine is starting.', 'en'],
  ['Cette machine démarre.', 'fr'],
  ['Esta máquina se está iniciando.', 'es'],
  ['Diese Maschine startet.', 'de'],
  ['هذا الجهاز قيد التشغيل.', 'ar'],
] as const
const RESTING = [
  ['This machine is resting. Go to the counter.', 'en'],
  ['Cette machine est au repos. Allez au guichet.', 'fr'],
  ['Esta máquina está en pausa. Vaya al mostrador.', 'es'],
  ['Diese Maschine macht Pause. Gehen Sie zum Schalter.', 'de'],
  ['هذا الجهاز متوقف. توجّه إلى الموظف.', 'ar'],
] as const

const STYLE =
  'html{background:#fbfaf6;color:#14202b;font:36px/1.45 "Noto Sans","Noto Sans Arabic",sans-serif}' +
  'body{margin:0;min-height:100vh;display:grid;place-content:center;gap:32px;padding:64px;box-sizing:border-box}' +
  'p{margin:0;max-width:24em}p:first-child{font-size:56px;font-weight:600}' +
  'footer{margin-top:64px;font-size:24px;color:#4a5763;max-width:36em}'

export const STARTING_PAGE = page('Counterproof', inEachLanguage(STARTING))

/** @param advice a sentence for staff: what happened, and what to do. */
export function restingPage(advice: string): string {
  return page('Counterproof', `${inEachLanguage(RESTING)}<footer>${escapeText(advice)}</footer>`)
}

function inEachLanguage(texts: readonly (readonly [text: string, language: string])[]): string {
  return texts.map(([text, language]) => `<p lang="${language}" dir="auto">${text}</p>`).join('')
}

function page(title: string, body: string): string {
  const html =
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>` +
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">` +
    `<style>${STYLE}</style><body>${body}`
  return `data:text/html;charset=utf-8,${encodeURIComponent(html)}`
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
