import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { isGone } from "../api/problem.ts";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { Row, Skeleton, Stack } from "../ui/layout.tsx";
import { LinkButton } from "./link.tsx";
import { Page } from "./page.tsx";
import { Problem } from "./problem.tsx";

/** In place of a page that could not be shown. */
export function ErrorPage({ error }: { readonly error: unknown }) {
  const router = useRouter();
  return (
    <Page title={isGone(error) ? "Not found" : "This could not be shown"}>
      <Stack>
        <Problem error={error} />
        <Row>
          <Button onClick={() => void router.invalidate()}>Try again</Button>
          <LinkButton to={paths.projects()}>Go to projects</LinkButton>
        </Row>
      </Stack>
    </Page>
  );
}

export function NotFoundPage() {
  return (
    <Page title="Not found" lead="The console has no such page.">
      <LinkButton to={paths.projects()}>Go to projects</LinkButton>
    </Page>
  );
}

/** While a page is loaded for longer than a moment. */
export function PendingPage() {
  useEffect(() => {
    document.title = "Loading · Slipway";
  }, []);
  return <Skeleton lines={8} label="Loading the page" />;
}
