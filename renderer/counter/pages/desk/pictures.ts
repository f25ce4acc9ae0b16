/** The pictures of the case in hand: fetched once, kept in memory, released with the case. */
import { useEffect, useState } from 'preact/hooks'
import type { DeskImage } from '../../../../server/counter/contract/desk.ts'
import { useClient } from '../../session.tsx'

/** URL by image; null: it could not be fetched; absent: it is loading. */
export type Pictures = Readonly<Record<string, string | null>>

export function usePictures(images: readonly DeskImage[]): Pictures {
  const client = useClient()
  const [pictures, setPictures] = useState<Pictures>({})
  const key = images.map(({ imageId }) => imageId).join(' ')
  useEffect(() => {
    const aborter = new AbortController()
    const urls: string[] = []
    setPictures({})
    const fetchAll = async () => {
      for (const { imageId, href } of images) {
        let url: string | null = null
        try {
          const picture = await client.blob(href, { signal: aborter.signal })
          if (aborter.signal.aborted) return
          url = URL.createObjectURL(picture)
          urls.push(url)
        } catch {
          // The list shows the failure at its place; the other pictures still load.
          if (aborter.signal.aborted) return
        }
        setPictures((before) => ({ ...before, [imageId]: url }))
      }
    }
    void fetchAll()
    return () => {
      aborter.abort()
      for (const url of urls) URL.revokeObjectURL(url)
    }
  }, [key, client])
  return pictures
}
