import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, useEffect, useState } from 'react';
import { fetchBlob, localUrl } from '../api/client';
import { embedded } from '../session/embedded';

type ImageProps = Omit<ComponentProps<'img'>, 'src' | 'onError'> & {
  /** URL of the API. */
  readonly of: string;
  readonly alt: string;
  readonly onBroken?: () => void;
};

/** An image of the API. In a page of others there is no session for the browser's own request: it is fetched with the token. */
export function PageImage(props: ImageProps) {
  return embedded ? <FetchedImage {...props} /> : <PlainImage {...props} src={localUrl(props.of)} />;
}

function PlainImage({ of: _, alt, onBroken, src, ...props }: ImageProps & { readonly src: string | undefined }) {
  return <img src={src} alt={alt} onError={onBroken} {...props} />;
}

function FetchedImage(props: ImageProps) {
  const { of, onBroken } = props;
  const { data, error } = useQuery({
    queryKey: ['image', of],
    queryFn: ({ signal }) => fetchBlob(of, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [src, setSrc] = useState<string>();
  useEffect(() => {
    if (!data) return;
    const made = URL.createObjectURL(data);
    setSrc(made);
    return () => URL.revokeObjectURL(made);
  }, [data]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once
  useEffect(() => {
    if (error) onBroken?.();
  }, [error]);
  return <PlainImage {...props} src={src} />;
}
