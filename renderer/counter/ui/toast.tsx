/** Short messages about the last act, announced politely; a message with an undo button stays longer. */
import { createContext } from 'preact'
import type { ComponentChildren } from 'preact'
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks'
import { useKitText } from '../text.tsx'
import type { Tone } from './badge.tsx'
import { Button, IconButton } from './button.tsx'
import { Icon } from './icon.tsx'

interface Toast {
  readonly id: number
  readonly words: string
  readonly tone: Extract<Tone, 'done' | 'attention' | 'note'>
  readonly undo?: () => void
  readonly at: number
}

type Tell = (words: string, options?: Partial<Pick<Toast, 'tone' | 'undo'>>) => void

const ToastContext = createContext<Tell>(() => undefined)

// Starting values: long enough to read two short sentences; officers notice a mistake within half a minute or
// not at all.
const SHOWN_MS = 8_000
const UNDO_MS = 30_000
/** An act opens its page within this time. */
const OPENED_MS = 1_000

const readPath = (url: string): string => new URL(url || location.href).hash.split('?')[0] ?? ''

export function ToastProvider({ children }: { readonly children: ComponentChildren }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const next = useRef(1)
  const tell = useCallback<Tell>((words, { tone = 'done', undo } = {}) => {
    const id = next.current++
    setToasts((shown) => [
      ...shown.slice(-2),
      { id, words, tone, at: performance.now(), ...(undo ? { undo } : {}) },
    ])
  }, [])
  const drop = useCallback((id: number) => setToasts((shown) => shown.filter((toast) => toast.id !== id)), [])
  // A message belongs to the page of its act, or to the page that the act opened.
  useEffect(() => {
    const leave = ({ oldURL, newURL }: HashChangeEvent) => {
      if (readPath(oldURL) === readPath(newURL)) return
      const now = performance.now()
      setToasts((shown) => shown.filter(({ undo, at }) => undo !== undefined || now - at < OPENED_MS))
    }
    addEventListener('hashchange', leave)
    return () => removeEventListener('hashchange', leave)
  }, [])
  return (
    <ToastContext.Provider value={tell}>
      {children}
      <div class="toasts" role="status" aria-live="polite">
        {toasts.map((toast) => (
          <ToastView key={toast.id} toast={toast} onDrop={drop} />
        ))}
      </div>
    </ToastContext.Provider>
  )
}

export function useToast(): Tell {
  return useContext(ToastContext)
}

function ToastView({ toast, onDrop }: { readonly toast: Toast; readonly onDrop: (id: number) => void }) {
  const { t } = useKitText()
  // Hovering or focusing means that the message is still being read.
  const [held, setHeld] = useState(false)
  const { id, words, tone, undo } = toast
  useEffect(() => {
    if (held) return
    const timer = setTimeout(() => onDrop(id), undo ? UNDO_MS : SHOWN_MS)
    return () => clearTimeout(timer)
  }, [held, id, undo, onDrop])
  return (
    <div
      class={`toast toast-${tone}`}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocusCapture={() => setHeld(true)}
      onBlurCapture={() => setHeld(false)}
    >
      <Icon name={tone} />
      <p>{words}</p>
      {undo && (
        <Button
          kind="quiet"
          onClick={() => {
            undo()
            onDrop(id)
          }}
        >
          {t('undo')}
        </Button>
      )}
      <IconButton icon="close" label={t('close')} onClick={() => onDrop(id)} />
    </div>
  )
}
