import { describeStory } from "./story.ts";
import { openTarget } from "./target.ts";

describeStory(openTarget);
