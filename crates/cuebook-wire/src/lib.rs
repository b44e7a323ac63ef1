//! The shapes of OpenWOP v1: prompts, agents, workflows, events, errors.
